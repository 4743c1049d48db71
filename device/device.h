#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "device/copy_segment.h"
#include "device/kernels.h"
#include "treering/status.h"

namespace treering::device {

enum class DeviceKind : std::uint8_t { host, cuda, sim };

struct DeviceInfo {
  DeviceKind kind = DeviceKind::host;
  int ordinal = 0;   ///< among the devices that this process sees
  std::string id;    ///< of the hardware: equal in every process that sees the same device
  std::string name;  ///< for people
};

/// A queue of work, first in, first out; a cudaStream_t on CUDA. Streams of a user are as good as our own.
struct Stream {
  void* handle = nullptr;
};

/// A point in a stream; a cudaEvent_t on CUDA. Until it is recorded, it has happened. Recording again forgets the
/// earlier point; waits that were enqueued for that one still mean it.
struct Event {
  void* handle = nullptr;
};

/// What a question about work finds.
enum class Progress : std::uint8_t {
  pending,
  done,
  failed,  ///< it will never be done; `Device::error` says why
};

/// An allocation as another process may map it. Plain bytes, so that it travels in messages.
struct ExportedMemory {
  std::array<std::byte, 64> handle{};
  std::uint64_t bytes = 0;
  std::uint64_t generation =
      0;  ///< differs from that of any other allocation of the exporting process, earlier or later
};

/// Sources, and destinations, of one reduction.
inline constexpr std::size_t max_operands = 64;

/// One device of this process: memory, streams, events, kernels. Memory addresses are the device's; the host reads and
/// writes only what `allocate_pinned` gave.
///
/// The **dispatch path** (the second half) only enqueues or asks: it never waits, allocates, registers or loads. Work
/// runs later, ordered by its stream and by events and counters alone. Arguments are read at the call; memory, tables
/// of segments too, when the work runs. What is wrong with a call comes back as a Status and nothing is enqueued; what
/// goes wrong later stays in `error`, every later call returns it, and work that was under way is never done.
///
/// Any thread; one stream or event by one thread at a time. No call changes the calling thread's current device.
class Device {
 public:
  virtual ~Device() = default;
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual const DeviceInfo& info() const = 0;

  // -- preparing and ending: may take long and wait for the device; refused in a dispatch section

  /// Fresh memory holds garbage; aligned to 256 bytes.
  virtual Status allocate(std::size_t bytes, std::byte*& memory) = 0;
  /// Nothing enqueued touches it any more, and nobody has it imported. Hardware waits for all work of the device here:
  /// none of it may stand at a counter that the calling thread has still to see raised.
  virtual Status free(std::byte* memory) = 0;
  /// Zeroed device memory for `write_value` and `wait_value`, exported and freed like any other.
  virtual Status allocate_counters(std::size_t count, std::uint64_t*& counters) = 0;
  /// Host memory that every device of this process reaches.
  virtual Status allocate_pinned(std::size_t bytes, std::byte*& memory) = 0;
  virtual Status free_pinned(std::byte* memory) = 0;

  /// A stream that orders itself with no other.
  virtual Status create_stream(Stream& stream) = 0;
  /// Work in it still runs.
  virtual Status destroy_stream(Stream stream) = 0;
  virtual Status create_event(Event& event) = 0;
  /// Waits that were enqueued stay.
  virtual Status destroy_event(Event event) = 0;

  /// Whether `enable_peer` can succeed; `peer` may belong to another process.
  virtual bool can_reach(const DeviceInfo& peer) const = 0;
  /// Lets this device's work touch the memory of another device of this process. Again is fine.
  virtual Status enable_peer(Device& peer) = 0;
  /// `memory` is an address that `allocate` or `allocate_counters` gave, not one inside.
  virtual Status export_memory(const std::byte* memory, ExportedMemory& exported) = 0;
  /// Maps another process's allocation for this device's work; the exporter itself must not. Again gives the same
  /// address, and must be closed as often.
  virtual Status import_memory(const ExportedMemory& exported, std::byte*& memory) = 0;
  /// Nothing enqueued touches it any more.
  virtual Status close_memory(std::byte* memory) = 0;

  /// Loads every kernel, lest the first launch of each does it.
  virtual Status preload() = 0;
  /// Waits until all work of the stream is done. For start, end and tests.
  virtual Status synchronize(Stream stream) = 0;

  // -- dispatch path: order

  virtual Status record(Event event, Stream stream) = 0;
  /// The stream goes on when the point last recorded in `event` has passed; the event may be another device's. Without
  /// one it goes on at once.
  virtual Status wait(Stream stream, Event event) = 0;
  /// counter = value, after all earlier work of the stream and visible after it. The counter lies on this device, a
  /// reachable one, in imported or pinned memory; aligned to 8 bytes, one writer at a time.
  virtual Status write_value(Stream stream, std::uint64_t* counter, std::uint64_t value) = 0;
  /// The stream goes on when *counter >= value, or more exactly when their difference as a signed number is not
  /// negative: values may wrap, and none is the largest. The counter lies on this device or in pinned memory, nowhere
  /// else. Enqueued only after everything local that the writer waits for. To release a stream whose writer is gone,
  /// write a larger value from another stream.
  virtual Status wait_value(Stream stream, const std::uint64_t* counter, std::uint64_t value) = 0;

  // -- dispatch path: work

  /// HostKernels::reduce with the same bits; at most `max_operands` sources and destinations.
  virtual Status reduce(Stream stream, const Reduction& what, std::span<const std::byte* const> sources,
                        std::span<std::byte* const> destinations, std::size_t bytes) = 0;
  /// destination[i] = source[i] * factor, from one floating type to another. Computed in float64 if either is f64, else
  /// in float32; f64 goes to a half by way of float32. No overlap.
  virtual Status cast(Stream stream, DataType from, const std::byte* source, DataType to, std::byte* destination,
                      std::size_t elements, double factor) = 0;
  /// Between device, peer, imported and pinned memory in any direction. No overlap.
  virtual Status copy(Stream stream, const std::byte* source, std::byte* destination, std::size_t bytes) = 0;
  /// Packs or unpacks: all segments in one launch, by equal shares of bytes whatever their sizes. The table lies in
  /// pinned memory, unchanged until the work is done; `total` is what `number_segments` returned. No overlap.
  virtual Status copy_segments(Stream stream, const CopySegment* table, std::size_t count, std::uint64_t total) = 0;

  // -- dispatch path: questions

  /// Whether the point last recorded has passed. Once done is seen, the host sees what lies before it in pinned memory.
  virtual Progress query(Event event) = 0;
  /// Whether the stream has nothing left to do.
  virtual Progress query(Stream stream) = 0;
  /// Whether the stream's work is being captured into a graph instead of run; then it must not be enqueued to.
  virtual bool is_capturing(Stream stream) = 0;
  /// What has broken the device, or ok. Once broken it stays so.
  virtual Status error() = 0;
  /// Moves work that moves only when somebody asks (software devices), of all devices of this process. False if there
  /// was none that could: then only another process, or more work, changes anything. Questions move work too.
  virtual bool progress() { return false; }

  /// Between these two the calling thread dispatches: a software device then refuses what is not of the dispatch path.
  virtual void enter_dispatch() {}
  virtual void leave_dispatch() {}
};

}  // namespace treering::device
