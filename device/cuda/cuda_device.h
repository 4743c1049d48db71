#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>

#include "device/cuda/allocations.h"
#include "device/cuda/driver.h"
#include "device/cuda/kernels.h"
#include "device/cuda/scope.h"
#include "device/device.h"

namespace treering::device {

/// One CUDA device. Its primary context is made current for each call and the caller's is restored.
class CudaDevice final : public Device {
 public:
  struct Parts {
    DeviceInfo info;
    std::string bus_id;
    CudaDriver driver;
    void* context = nullptr;  ///< the primary one
    std::shared_ptr<CudaAllocations> allocations;
  };
  explicit CudaDevice(Parts parts) : parts_(std::move(parts)) {}

  const DeviceInfo& info() const override { return parts_.info; }

  /// For libraries that work on the calling thread's device: makes this one current while the result lives.
  CudaScope make_current() const { return {driver(), context()}; }
  const CudaDriver& driver() const { return parts_.driver; }
  void* context() const { return parts_.context; }

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

 private:
  /// The result of a call as a Status; keeps it if the device is broken by it.
  Status judged(int code, std::string_view action);
  Status judged(CudaLaunch launch);
  void break_with(const Status& status);
  /// Does `call`, which returns a cudaError_t, on this device.
  template <class Call>
  Status on_device(std::string_view action, Call call);
  /// The same for what is enqueued: refused on a broken device and on a stream that is captured into a graph.
  template <class Call>
  Status enqueue(Stream stream, std::string_view action, Call call);
  template <class Call>
  Status launch(Stream stream, Call call);
  Status refuse_capture(Stream stream);
  Progress progress_of(int code, std::string_view action);

  Parts parts_;
  std::mutex imports_mutex_;  // held while CUDA maps and unmaps
  CudaImports imports_;       // guarded by imports_mutex_

  std::atomic<bool> broken_{false};
  std::mutex cause_mutex_;
  Status cause_;  // guarded by cause_mutex_
};

}  // namespace treering::device
