#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "device/sim/memory_file.h"
#include "transport/device_collectives.h"

namespace treering::transport::sim {

/// What a member tells the others of one collective, when its kernel has begun.
struct Announced {
  std::uint64_t elements = 0;
  DataType type = DataType::f32;
  ReduceOp op = ReduceOp::sum;
  device::ExportedMemory memory;  ///< that holds the input
  std::uint64_t offset = 0;
};

/// What one member tells the others. Counts only grow; each has one writer.
struct Seat {
  std::atomic<pid_t> pid{0};               ///< of its process; not zero: it has joined
  std::atomic<std::uint64_t> called{0};    ///< collectives that its host has called
  std::atomic<std::uint64_t> arrived{0};   ///< collectives whose kernel has begun
  std::atomic<std::uint64_t> computed{0};  ///< collectives for which it needs nobody's input any more
  std::atomic<std::uint32_t> finalizing{0};
  std::atomic<std::uint32_t> aborted{0};
  Announced announced;  ///< of the last collective that arrived
};

/// Memory that all members of a communicator share.
class Board {
 public:
  static constexpr int most_members = 128;

  /// For the member that draws the id; who keeps it open keeps the memory.
  static Status create(CommunicatorId& id, Board& board);
  static Status open(const CommunicatorId& id, Board& board);

  bool is_open() const { return seats_ != nullptr; }
  Seat& seat(int rank) const { return (*seats_)[static_cast<std::size_t>(rank)]; }
  /// Whether `count` of every one of the first `size` seats is at least `least`.
  bool all(int size, std::atomic<std::uint64_t> Seat::* count, std::uint64_t least) const;
  bool all_joined(int size) const;
  bool all_finalizing(int size) const;
  /// Whether every member whose process lives has aborted.
  bool all_aborted(int size) const;

 private:
  using Seats = std::array<Seat, most_members>;

  device::sim::MemoryFile file_;
  Seats* seats_ = nullptr;
};

}  // namespace treering::transport::sim
