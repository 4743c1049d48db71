#pragma once

#include <memory>

#include "device/device.h"
#include "device/sim/machine.h"

namespace treering::device::sim {

/// One device of a machine: takes the machine's lock and applies the rules of each call.
class SimDevice final : public Device {
 public:
  SimDevice(std::shared_ptr<Machine> machine, int ordinal);

  Machine& machine() const { return *machine_; }

  const DeviceInfo& info() const override { return info_; }

  Status allocate(std::size_t bytes, std::byte*& memory) override;
  Status free(std::byte* memory) override;
  Status allocate_counters(std::size_t count, std::uint64_t*& counters) override;
  Status allocate_pinned(std::size_t bytes, std::byte*& memory) override;
  Status free_pinned(std::byte* memory) override;
  Status create_stream(Stream& stream) override;
  Status destroy_stream(Stream stream) override;
  Status create_event(Event& event) override;
  Status destroy_event(Event event) override;
  bool can_reach(const DeviceInfo& peer) const override;
  Status enable_peer(Device& peer) override;
  Status export_memory(const std::byte* memory, ExportedMemory& exported) override;
  Status import_memory(const ExportedMemory& exported, std::byte*& memory) override;
  Status close_memory(std::byte* memory) override;
  Status preload() override;
  Status synchronize(Stream stream) override;

  Status record(Event event, Stream stream) override;
  Status wait(Stream stream, Event event) override;
  Status write_value(Stream stream, std::uint64_t* counter, std::uint64_t value) override;
  Status wait_value(Stream stream, const std::uint64_t* counter, std::uint64_t value) override;
  Status reduce(Stream stream, const Reduction& what, std::span<const std::byte* const> sources,
                std::span<std::byte* const> destinations, std::size_t bytes) override;
  Status cast(Stream stream, DataType from, const std::byte* source, DataType to, std::byte* destination,
              std::size_t elements, double factor) override;
  Status copy(Stream stream, const std::byte* source, std::byte* destination, std::size_t bytes) override;
  Status copy_segments(Stream stream, const CopySegment* table, std::size_t count, std::uint64_t total) override;

  Progress query(Event event) override;
  Progress query(Stream stream) override;
  bool is_capturing(Stream stream) override;
  Status error() override;
  bool progress() override;
  void enter_dispatch() override;
  void leave_dispatch() override;

  /// Enqueues work that this room does not know.
  Status launch(Stream stream, std::shared_ptr<Task> task);
  /// The allocation that holds an address of a device of this process, as another may map it, and how far into it.
  Status locate(const std::byte* address, ExportedMemory& exported, std::uint64_t& offset) const;
  Status launch(Stream stream, std::function<void()> kernel);

 private:
  Status enqueue(Stream stream, Work work);
  Status prepare(const char* call) TREERING_REQUIRES(machine_->mutex);
  Status allocate_locked(MemoryMap::Kind kind, std::size_t bytes, std::byte*& memory)
      TREERING_REQUIRES(machine_->mutex);
  Status remove(const char* call, MemoryMap::Kind kind, std::byte* memory) TREERING_REQUIRES(machine_->mutex);

  std::shared_ptr<Machine> machine_;
  int ordinal_;
  DeviceInfo info_;
};

}  // namespace treering::device::sim
