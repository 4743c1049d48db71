#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "device/sim/sim_device.h"
#include "transport/sim/board.h"

namespace treering::transport::sim {

/// What a communicator and its kernels in streams share.
struct Membership {
  Board board;
  int rank = 0;
  int size = 1;
  std::string name;
  device::sim::SimDevice* device = nullptr;
  std::atomic<std::uint64_t> finished{0};  ///< kernels that have ended
  std::atomic<bool> aborted{false};
  std::atomic<bool> broken{false};  ///< the members called different things
};

struct AllReduce {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  std::size_t elements = 0;
  DataType type = DataType::f32;
  ReduceOp op = ReduceOp::sum;
  bool stuck = false;   ///< by a fault: takes its place on the device and never goes on
  Announced announced;  ///< the same for the others
};

/// The kernel of one member. Arrives and waits for all; reduces all inputs, in the order of members, into memory of its
/// own; and writes its output when nobody needs the inputs any more.
class AllReduceTask final : public device::sim::Task {
 public:
  /// `number`: how many collectives of this communicator come before.
  AllReduceTask(std::shared_ptr<Membership> membership, const AllReduce& what, std::uint64_t number)
      : membership_(std::move(membership)), what_(what), number_(number) {}

  bool resides() const override { return true; }
  device::sim::Outcome step(const device::sim::Resolve& resolve, std::string& why) override;
  bool touches(const std::byte* address, std::size_t size) const override;

 private:
  enum class Phase : std::uint8_t { arriving, waiting, writing };

  std::size_t bytes() const { return what_.elements * size_of(what_.type); }
  bool agree() const;
  Status compute();

  std::shared_ptr<Membership> membership_;
  AllReduce what_;
  std::uint64_t number_;
  Phase phase_ = Phase::arriving;
  std::vector<std::byte> result_;
};

}  // namespace treering::transport::sim
