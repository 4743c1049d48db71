#include "tests/device/conformance/bench.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace treering::device::conformance {

Bench::Bench(const Backend& backend, int processes, int devices, std::uint64_t seed, int omitted)
    : backend_(backend), random_(seed + 1) {
  omission_.at = omitted;
  for (int process = 0; process < processes; ++process) {
    processes_.push_back(backend.open(devices, seed * 4 + seed % 4 + static_cast<std::uint64_t>(process) * 4));
    wrapped_.emplace_back();
    for (const auto& device : processes_.back())
      wrapped_.back().push_back(std::make_unique<OmittingDevice>(*device, omission_));
  }
}

Bench::~Bench() { give_back(); }

void Bench::give_back() {
  for (const auto& [device, event] : events_) static_cast<void>(device->destroy_event(event));
  for (const auto& [device, stream] : streams_) static_cast<void>(device->destroy_stream(stream));
  for (auto owned = memory_.rbegin(); owned != memory_.rend(); ++owned)
    static_cast<void>((owned->device->*owned->back)(owned->memory));
  events_.clear();
  streams_.clear();
  memory_.clear();
}

void Bench::end() {
  give_back();
  for (const auto& devices : processes_)
    for (const std::string& misuse : backend_.misuses(*devices.front())) expect(false, misuse);
}

Device& Bench::device(int index, int process) {
  return *wrapped_.at(static_cast<std::size_t>(process)).at(static_cast<std::size_t>(index));
}

std::byte* Bench::keep(Device& device, std::byte* memory, Status (Device::*back)(std::byte*)) {
  if (memory != nullptr) memory_.push_back({&device, memory, back});
  return memory;
}

std::byte* Bench::memory(Device& device, std::size_t bytes) {
  std::byte* memory = nullptr;
  ok(device.allocate(bytes, memory));
  return keep(device, memory, &Device::free);
}

std::byte* Bench::pinned(Device& device, std::size_t bytes) {
  std::byte* memory = nullptr;
  ok(device.allocate_pinned(bytes, memory));
  return keep(device, memory, &Device::free_pinned);
}

std::uint64_t* Bench::counters(Device& device, std::size_t count) {
  std::uint64_t* counters = nullptr;
  ok(device.allocate_counters(count, counters));
  return reinterpret_cast<std::uint64_t*>(keep(device, reinterpret_cast<std::byte*>(counters), &Device::free));
}

Stream Bench::stream(Device& device) {
  Stream stream;
  ok(device.create_stream(stream));
  streams_.emplace_back(&device, stream);
  return stream;
}

Event Bench::event(Device& device) {
  Event event;
  ok(device.create_event(event));
  events_.emplace_back(&device, event);
  return event;
}

std::byte* Bench::shared(Device& owner, const std::byte* memory, Device& reader) {
  ExportedMemory exported;
  std::byte* address = nullptr;
  ok(owner.export_memory(memory, exported));
  ok(reader.import_memory(exported, address));
  return keep(reader, address, &Device::close_memory);
}

Values Bench::draw(std::size_t bytes) {
  Values values(bytes);
  for (std::byte& value : values) value = static_cast<std::byte>(random_());
  return values;
}

void Bench::upload(Device& device, const Values& values, std::byte* memory) {
  std::byte* const staging = pinned(device, values.size());
  std::memcpy(staging, values.data(), values.size());
  const Stream own = stream(device);
  ok(device.copy(own, staging, memory, values.size()));
  expect(until([&] { return device.query(own) == Progress::done; }), "an upload does not end");
}

Values Bench::download(Device& device, const std::byte* memory, std::size_t bytes) {
  std::byte* const staging = pinned(device, bytes);
  const Stream own = stream(device);
  ok(device.copy(own, memory, staging, bytes));
  expect(until([&] { return device.query(own) == Progress::done; }), "a download does not end");
  return Values(staging, staging + bytes);
}

void Bench::expect(bool right, const std::string& what) {
  if (!right && wrong_.empty()) wrong_ = what.empty() ? "something is wrong" : what;
}

bool Bench::until(const std::function<bool()>& done) {
  const auto limit = std::chrono::steady_clock::now() + backend_.patience;
  for (;;) {
    if (done()) return true;
    bool moved = false;
    for (const auto& devices : wrapped_)
      for (const auto& device : devices) moved |= device->progress();
    if (moved) continue;
    if (done()) return true;
    if (std::chrono::steady_clock::now() >= limit) return false;
    ::sched_yield();
  }
}

void Bench::settle() {
  const auto idle = [this] {
    return std::ranges::all_of(streams_,
                               [](const auto& owned) { return owned.first->query(owned.second) == Progress::done; });
  };
  const bool settled = until(idle);
  for (const auto& devices : wrapped_)
    for (const auto& device : devices) ok(device->error());
  expect(settled, "a stream never becomes idle");
}

void Bench::await(Device& device, Event event) {
  expect(until([&] { return device.query(event) != Progress::pending; }), "an event never happens");
  ok(device.error());
}

void Bench::stir() {
  for (int i = 0; i < 200; ++i)
    for (const auto& devices : wrapped_)
      for (const auto& device : devices) static_cast<void>(device->progress());
}

}  // namespace treering::device::conformance
