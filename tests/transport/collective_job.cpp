#include "tests/transport/collective_job.h"

#include <doctest/doctest.h>

#include <cstring>

namespace treering::transport::tests {

CollectiveJob::CollectiveJob(int processes, int devices, std::uint64_t seed, const CollectiveDeadlines& deadlines,
                             int absent, const std::function<void(CollectiveJob&)>& tailor)
    : devices_(devices), processes_(static_cast<std::size_t>(processes)) {
  for (Process& process : processes_) {
    device::sim::Options options;
    options.count = devices;
    options.seed = seed++;
    REQUIRE(device::sim::open_devices(options, process.devices).ok());
    process.library = std::make_unique<sim::Collectives>(seed * 31);
    for (const auto& device : process.devices) {
      REQUIRE(device->create_stream(process.flat.emplace_back()).ok());
      REQUIRE(device->create_stream(process.cross.emplace_back()).ok());
    }
  }
  if (tailor) tailor(*this);
  CommunicatorId flat;
  std::vector<CommunicatorId> cross(static_cast<std::size_t>(devices));
  REQUIRE(process(0).library->draw_id(flat).ok());
  for (CommunicatorId& id : cross) REQUIRE(process(0).library->draw_id(id).ok());
  for (int index = 0; index < processes; ++index) {
    if (index == absent) continue;
    process(index).communicators =
        std::make_unique<Communicators>(*process(index).library, specs_of(index, flat, cross), deadlines, clock_);
  }
}

std::vector<CommunicatorSpec> CollectiveJob::specs_of(int index, const CommunicatorId& flat,
                                                      const std::vector<CommunicatorId>& cross) {
  std::vector<CommunicatorSpec> specs;
  for (int d = 0; d < devices_; ++d) {
    device::Device* const device = process(index).devices[static_cast<std::size_t>(d)].get();
    specs.push_back({"flat", flat, index * devices_ + d, processes() * devices_, device});
  }
  for (int d = 0; d < devices_; ++d) {
    device::Device* const device = process(index).devices[static_cast<std::size_t>(d)].get();
    specs.push_back({"cross " + std::to_string(d), cross[static_cast<std::size_t>(d)], index, processes(), device});
  }
  return specs;
}

bool CollectiveJob::until(const std::function<bool()>& done, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    if (done()) return true;
    for (Process& process : processes_) {
      if (process.communicators) process.communicators->step();
      process.devices.front()->progress();
    }
    clock_.advance(20'000);
  }
  return done();
}

bool CollectiveJob::all_in(Communicators::Phase phase) {
  for (const Process& process : processes_)
    if (process.communicators && process.communicators->phase() != phase) return false;
  return true;
}

std::byte* CollectiveJob::allocate(device::Device& device, std::size_t bytes) {
  std::byte* memory = nullptr;
  REQUIRE(device.allocate(bytes, memory).ok());
  return memory;
}

void CollectiveJob::write(device::Device& device, std::byte* memory, const std::vector<std::int32_t>& values) {
  const std::size_t bytes = values.size() * sizeof(std::int32_t);
  std::byte* staging = nullptr;
  REQUIRE(device.allocate_pinned(bytes, staging).ok());
  std::memcpy(staging, values.data(), bytes);
  REQUIRE(device.copy({}, staging, memory, bytes).ok());
  REQUIRE(device.synchronize({}).ok());
  REQUIRE(device.free_pinned(staging).ok());
}

std::vector<std::int32_t> CollectiveJob::read(device::Device& device, const std::byte* memory, std::size_t count) {
  const std::size_t bytes = count * sizeof(std::int32_t);
  std::byte* staging = nullptr;
  REQUIRE(device.allocate_pinned(bytes, staging).ok());
  REQUIRE(device.copy({}, memory, staging, bytes).ok());
  REQUIRE(device.synchronize({}).ok());
  std::vector<std::int32_t> values(count);
  std::memcpy(values.data(), staging, bytes);
  REQUIRE(device.free_pinned(staging).ok());
  return values;
}

std::vector<std::string> CollectiveJob::misuses() {
  std::vector<std::string> all;
  for (const Process& process : processes_) {
    for (const std::string& misuse : process.library->misuses()) all.push_back(misuse);
    for (const std::string& misuse : device::sim::misuses(*process.devices.front())) all.push_back(misuse);
  }
  return all;
}

}  // namespace treering::transport::tests
