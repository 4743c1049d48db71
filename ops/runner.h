#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "device/kernels.h"
#include "ops/bindings.h"
#include "ops/program.h"
#include "ops/transfers.h"
#include "timeline/spool_format.h"
#include "transport/node_link.h"
#include "transport/wire.h"

namespace treering::ops {

/// Bytes that may still be read and written in this step; data instructions pause when it is used up.
struct Budget {
  std::int64_t bytes = 1 << 20;
};

/// Runs one program at a time on host memory: each step lets every stream go as far as it can. Engine thread only.
class Runner {
 public:
  /// `clock`: for the times of phases; zero where nobody wants them.
  Runner(transport::NodeLink& node, transport::Wire& wire, const device::HostKernels& kernels, const Clock& clock);

  /// To be filled before `start`; memory is kept from program to program.
  Program& program() { return program_; }
  Bindings& bindings() { return bindings_; }

  /// `base`: what all shared counters are at most; `tags`: message tag of channel 0.
  void start(std::uint64_t base, int tags);
  /// True if anything moved.
  bool step(Budget& budget);
  /// No stream touches inputs or outputs any more, and nobody else does.
  bool complete() const { return completes_ == program_.completes; }
  bool ended() const { return live_ == 0; }
  bool communicates() const { return transfers_.under_way() > 0; }

  struct Span {
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
  };
  /// When the streams of a phase were at work, if they were and times are recorded.
  std::optional<Span> span(timeline::Phase phase) const;
  /// Bytes of this program between this rank and one other, in one direction; counted if times are recorded.
  struct Traffic {
    int peer = 0;  ///< rank; within the node: member
    timeline::LinkUse use = timeline::LinkUse::sent;
    std::uint64_t bytes = 0;
    std::uint64_t transfers = 0;
  };
  std::span<const Traffic> traffic() const { return traffic_; }
  /// Every live stream and what it waits for; `ranks` of the node's members.
  std::string dump(const std::vector<int>& ranks) const;

 private:
  struct StreamState {
    std::uint32_t loop = 0;  // index into program_.loops
    std::uint32_t loop_end = 0;
    std::uint32_t index = 0;  // instruction within the body
    std::uint64_t iteration = 0;
    std::uint64_t done = 0;   // bytes of a data instruction
    std::size_t segment = 0;  // where the last one was
    bool began = false;
    timeline::Phase phase = timeline::Phase::running;
  };

  bool advance(StreamState& stream, Budget& budget);
  bool execute(StreamState& stream, const Instruction& instruction, Budget& budget);
  void next(StreamState& stream) const;
  const Instruction& current(const StreamState& stream) const;
  bool satisfied(const Instruction& instruction, std::uint64_t iteration) const;
  void signal(const Instruction& instruction, std::uint64_t iteration);
  void transfer(const Instruction& instruction, std::uint64_t iteration);
  bool move(StreamState& stream, const Instruction& instruction, Budget& budget);
  void apply(const Instruction& instruction, std::size_t segment, std::int64_t chunk, std::uint64_t chunk_begin,
             std::uint64_t begin, std::uint64_t end);
  const std::byte* resolve(const Operand& operand, std::size_t segment, std::int64_t chunk, std::uint64_t chunk_begin,
                           std::uint64_t offset) const;
  std::byte* resolve_output(const Operand& operand, std::size_t segment, std::int64_t chunk, std::uint64_t chunk_begin,
                            std::uint64_t offset) const;
  std::uint64_t read(const CounterRef& counter) const;
  bool is_local(const CounterRef& counter) const { return counter.index >= program_.shared_counters; }
  std::size_t local(const CounterRef& counter) const {
    return static_cast<std::size_t>(counter.index - program_.shared_counters);
  }
  void record(StreamState& stream);
  void count(int peer, timeline::LinkUse use, std::uint64_t bytes);
  void count_in_node(std::span<const Operand> operands, timeline::LinkUse use, std::uint64_t bytes);
  std::string describe_wait(const Instruction& instruction, std::uint64_t iteration,
                            const std::vector<int>& ranks) const;

  transport::NodeLink& node_;
  transport::Wire& wire_;
  const device::HostKernels& kernels_;
  const Clock& clock_;
  Program program_;
  Bindings bindings_;
  Transfers transfers_;
  std::vector<StreamState> streams_;
  std::vector<std::int64_t> locals_;
  std::vector<const std::byte*> sources_;
  std::vector<std::byte*> destinations_;
  std::uint64_t base_ = 0;
  int tags_ = 0;
  std::uint32_t completes_ = 0;
  std::size_t live_ = 0;
  std::array<Span, 16> spans_{};
  std::vector<Traffic> traffic_;
  bool recorded_ = false;  ///< this program
};

}  // namespace treering::ops
