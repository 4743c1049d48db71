#include "device/host/host_device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "device/host/cast.h"

namespace treering::device {

namespace {

/// False while it cannot be done yet.
using Action = std::function<bool()>;

struct HostStream {
  std::deque<Action> actions;
  bool destroyed = false;
};

struct HostEvent {
  std::shared_ptr<bool> passed;  // null until recorded
};

/// What the host devices of one owner share: an event of one may be waited for by another.
struct HostWorld {
  std::map<void*, std::unique_ptr<HostStream>> streams;
  std::map<void*, std::unique_ptr<HostEvent>> events;

  /// Until nothing can go on any more.
  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (auto& [handle, stream] : streams) {
        while (!stream->actions.empty() && stream->actions.front()()) {
          stream->actions.pop_front();
          moved = true;
        }
      }
    }
    std::erase_if(streams, [](const auto& entry) { return entry.second->destroyed && entry.second->actions.empty(); });
  }
};

Status wrong(const std::string& what) { return {StatusCode::invalid_argument, what}; }

class HostDevice final : public Device {
 public:
  HostDevice(std::shared_ptr<HostWorld> world, int ordinal) : world_(std::move(world)) {
    info_ = {DeviceKind::host, ordinal, "host:" + std::to_string(ordinal), "host:" + std::to_string(ordinal)};
    world_->streams[this] = std::make_unique<HostStream>();  // the default stream
  }
  ~HostDevice() override {
    for (std::byte* const memory : memory_) std::free(memory);
  }

  const DeviceInfo& info() const override { return info_; }

  Status allocate(std::size_t bytes, std::byte*& memory) override {
    constexpr std::size_t alignment = 256;
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    memory = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
    if (memory == nullptr) return {StatusCode::unavailable, "the host has no memory left"};
    memory_.push_back(memory);
    return {};
  }
  Status free(std::byte* memory) override {
    if (std::erase(memory_, memory) == 0) return wrong("free is called with an address that allocate never gave");
    std::free(memory);
    return {};
  }
  Status allocate_counters(std::size_t count, std::uint64_t*& counters) override {
    std::byte* memory = nullptr;
    Status status = allocate(count * sizeof(std::uint64_t), memory);
    if (!status.ok()) return status;
    std::fill_n(memory, count * sizeof(std::uint64_t), std::byte{0});
    counters = reinterpret_cast<std::uint64_t*>(memory);
    return {};
  }
  Status allocate_pinned(std::size_t bytes, std::byte*& memory) override { return allocate(bytes, memory); }
  Status free_pinned(std::byte* memory) override { return free(memory); }

  Status create_stream(Stream& stream) override {
    auto fresh = std::make_unique<HostStream>();
    stream.handle = fresh.get();
    world_->streams[stream.handle] = std::move(fresh);
    return {};
  }
  Status destroy_stream(Stream stream) override {
    HostStream* const found = find(stream);
    if (found == nullptr || stream.handle == nullptr) return wrong("a stream is destroyed that does not exist");
    found->destroyed = true;
    world_->run();
    return {};
  }
  Status create_event(Event& event) override {
    auto fresh = std::make_unique<HostEvent>();
    event.handle = fresh.get();
    world_->events[event.handle] = std::move(fresh);
    return {};
  }
  Status destroy_event(Event event) override {
    return world_->events.erase(event.handle) == 1 ? Status() : wrong("an event is destroyed that does not exist");
  }

  bool can_reach(const DeviceInfo& peer) const override { return peer.kind == DeviceKind::host; }
  Status enable_peer(Device& peer) override {
    return can_reach(peer.info()) ? Status() : wrong("the host has no peer access to " + peer.info().name);
  }
  Status export_memory(const std::byte*, ExportedMemory&) override { return no_exports(); }
  Status import_memory(const ExportedMemory&, std::byte*&) override { return no_exports(); }
  Status close_memory(std::byte*) override { return no_exports(); }
  Status preload() override { return {}; }
  Status synchronize(Stream stream) override {
    return query(stream) == Progress::done
               ? Status()
               : Status{StatusCode::timed_out, "a stream of the host waits for what this thread alone could do"};
  }

  Status record(Event event, Stream stream) override {
    const auto found = world_->events.find(event.handle);
    if (found == world_->events.end()) return wrong("an event is recorded that does not exist");
    const auto passed = std::make_shared<bool>(false);
    found->second->passed = passed;
    return enqueue(stream, [passed] { return *passed = true; });
  }
  Status wait(Stream stream, Event event) override {
    const auto found = world_->events.find(event.handle);
    if (found == world_->events.end()) return wrong("a stream waits for an event that does not exist");
    const std::shared_ptr<bool> passed = found->second->passed;
    return enqueue(stream, [passed] { return passed == nullptr || *passed; });
  }
  Status write_value(Stream stream, std::uint64_t* counter, std::uint64_t value) override {
    return enqueue(stream, [counter, value] {
      std::atomic_ref(*counter).store(value);
      return true;
    });
  }
  Status wait_value(Stream stream, const std::uint64_t* counter, std::uint64_t value) override {
    auto* const word = const_cast<std::uint64_t*>(counter);  // atomic_ref takes no const in C++20
    return enqueue(stream,
                   [word, value] { return static_cast<std::int64_t>(std::atomic_ref(*word).load() - value) >= 0; });
  }

  Status reduce(Stream stream, const Reduction& what, std::span<const std::byte* const> sources,
                std::span<std::byte* const> destinations, std::size_t bytes) override {
    const auto fits = [](std::size_t count) { return count >= 1 && count <= max_operands; };
    if (!fits(sources.size()) || !fits(destinations.size())) return wrong("a reduction takes 1 to 64 operands");
    std::vector<const std::byte*> from(sources.begin(), sources.end());
    std::vector<std::byte*> to(destinations.begin(), destinations.end());
    return enqueue(stream, [what, from, to, bytes] {
      host_kernels().reduce(what, from, to, bytes);
      return true;
    });
  }
  Status cast(Stream stream, DataType from, const std::byte* source, DataType to, std::byte* destination,
              std::size_t elements, double factor) override {
    if (!is_floating(from) || !is_floating(to)) return wrong("only floating types are cast");
    return enqueue(stream, [=] {
      host_cast(from, source, to, destination, elements, factor);
      return true;
    });
  }
  Status copy(Stream stream, const std::byte* source, std::byte* destination, std::size_t bytes) override {
    return enqueue(stream, [=] {
      std::copy_n(source, bytes, destination);
      return true;
    });
  }
  Status copy_segments(Stream stream, const CopySegment* table, std::size_t count, std::uint64_t) override {
    return enqueue(stream, [=] {
      for (const CopySegment& segment : std::span(table, count))
        std::copy_n(segment.source, segment.bytes, segment.destination);
      return true;
    });
  }

  Progress query(Event event) override {
    world_->run();
    const auto found = world_->events.find(event.handle);
    if (found == world_->events.end()) return Progress::failed;
    return found->second->passed == nullptr || *found->second->passed ? Progress::done : Progress::pending;
  }
  Progress query(Stream stream) override {
    world_->run();
    const HostStream* const found = find(stream);
    if (found == nullptr) return Progress::failed;
    return found->actions.empty() ? Progress::done : Progress::pending;
  }
  bool is_capturing(Stream) override { return false; }
  Status error() override { return {}; }

 private:
  static Status no_exports() { return {StatusCode::unavailable, "memory of host devices cannot be exported"}; }

  HostStream* find(Stream stream) const {
    const auto found = world_->streams.find(stream.handle == nullptr ? const_cast<HostDevice*>(this) : stream.handle);
    return found == world_->streams.end() || found->second->destroyed ? nullptr : found->second.get();
  }
  Status enqueue(Stream stream, Action action) {
    HostStream* const found = find(stream);
    if (found == nullptr) return wrong("a stream is used that does not exist");
    found->actions.push_back(std::move(action));
    world_->run();
    return {};
  }

  std::shared_ptr<HostWorld> world_;
  DeviceInfo info_;
  std::vector<std::byte*> memory_;
};

}  // namespace

Status open_host_devices(int count, std::vector<std::unique_ptr<Device>>& devices) {
  if (count < 1) return {StatusCode::unavailable, "there is at least one host device"};
  const auto world = std::make_shared<HostWorld>();
  devices.clear();
  for (int ordinal = 0; ordinal < count; ++ordinal) devices.push_back(std::make_unique<HostDevice>(world, ordinal));
  return {};
}

}  // namespace treering::device
