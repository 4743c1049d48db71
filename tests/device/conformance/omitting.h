#pragma once

#include <cstdint>

#include "device/device.h"

namespace treering::device::conformance {

/// Which call that orders work is left out, counted over all devices of a run, in the order of calls.
struct Omission {
  static constexpr int none = -1;
  int at = none;
  int seen = 0;

  /// Counts one; true if this is the one.
  bool hits() { return seen++ == at; }
};

/// A device that forgets one `record`, `wait` or `wait_value` and does all else as the one behind it. Whatever is
/// right only because of that call must be seen to go wrong.
class OmittingDevice final : public Device {
 public:
  OmittingDevice(Device& device, Omission& omission) : device_(device), omission_(omission) {}

  Device& behind() { return device_; }

  const DeviceInfo& info() const override { return device_.info(); }
  Status allocate(std::size_t bytes, std::byte*& memory) override { return device_.allocate(bytes, memory); }
  Status free(std::byte* memory) override { return device_.free(memory); }
  Status allocate_counters(std::size_t count, std::uint64_t*& counters) override {
    return device_.allocate_counters(count, counters);
  }
  Status allocate_pinned(std::size_t bytes, std::byte*& memory) override {
    return device_.allocate_pinned(bytes, memory);
  }
  Status free_pinned(std::byte* memory) override { return device_.free_pinned(memory); }
  Status create_stream(Stream& stream) override { return device_.create_stream(stream); }
  Status destroy_stream(Stream stream) override { return device_.destroy_stream(stream); }
  Status create_event(Event& event) override { return device_.create_event(event); }
  Status destroy_event(Event event) override { return device_.destroy_event(event); }
  bool can_reach(const DeviceInfo& peer) const override { return device_.can_reach(peer); }
  Status enable_peer(Device& peer) override {
    auto* const wrapped = dynamic_cast<OmittingDevice*>(&peer);
    return device_.enable_peer(wrapped == nullptr ? peer : wrapped->device_);
  }
  Status export_memory(const std::byte* memory, ExportedMemory& exported) override {
    return device_.export_memory(memory, exported);
  }
  Status import_memory(const ExportedMemory& exported, std::byte*& memory) override {
    return device_.import_memory(exported, memory);
  }
  Status close_memory(std::byte* memory) override { return device_.close_memory(memory); }
  Status preload() override { return device_.preload(); }
  Status synchronize(Stream stream) override { return device_.synchronize(stream); }

  Status record(Event event, Stream stream) override {
    return omission_.hits() ? Status() : device_.record(event, stream);
  }
  Status wait(Stream stream, Event event) override { return omission_.hits() ? Status() : device_.wait(stream, event); }
  Status wait_value(Stream stream, const std::uint64_t* counter, std::uint64_t value) override {
    return omission_.hits() ? Status() : device_.wait_value(stream, counter, value);
  }
  Status write_value(Stream stream, std::uint64_t* counter, std::uint64_t value) override {
    return device_.write_value(stream, counter, value);
  }

  Status reduce(Stream stream, const Reduction& what, std::span<const std::byte* const> sources,
                std::span<std::byte* const> destinations, std::size_t bytes) override {
    return device_.reduce(stream, what, sources, destinations, bytes);
  }
  Status cast(Stream stream, DataType from, const std::byte* source, DataType to, std::byte* destination,
              std::size_t elements, double factor) override {
    return device_.cast(stream, from, source, to, destination, elements, factor);
  }
  Status copy(Stream stream, const std::byte* source, std::byte* destination, std::size_t bytes) override {
    return device_.copy(stream, source, destination, bytes);
  }
  Status copy_segments(Stream stream, const CopySegment* table, std::size_t count, std::uint64_t total) override {
    return device_.copy_segments(stream, table, count, total);
  }
  Progress query(Event event) override { return device_.query(event); }
  Progress query(Stream stream) override { return device_.query(stream); }
  bool is_capturing(Stream stream) override { return device_.is_capturing(stream); }
  Status error() override { return device_.error(); }
  bool progress() override { return device_.progress(); }
  void enter_dispatch() override { device_.enter_dispatch(); }
  void leave_dispatch() override { device_.leave_dispatch(); }

 private:
  Device& device_;
  Omission& omission_;
};

}  // namespace treering::device::conformance
