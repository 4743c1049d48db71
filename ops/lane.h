#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ops/board.h"
#include "ops/executor.h"
#include "ops/path.h"
#include "ops/runner.h"
#include "ops/site.h"

namespace treering::ops {

/// What a running submission owns: slots, a counter range and message tags, the same lane on all ranks. A lane is held
/// from `start` to `give_back`; it may be started again when all members of the node have given it back. Engine thread
/// only.
class Lane {
 public:
  Lane(const Site& site, std::uint32_t index, transport::Wire& wire, const device::HostKernels& kernels,
       const Clock& stopwatch);

  bool held() const { return state_ != State::free; }
  /// True when every member of the node has given back the previous program.
  bool returned() const;
  /// `sequence`: number of the submission, the same on all ranks; `since`: when it was handed over.
  void start(Submission submission, std::uint64_t sequence, Nanoseconds since);
  /// True if anything moved.
  bool step(Budget& budget);
  /// True once, when the submission's results are in place and its memory is free.
  bool take_completion();
  /// Nothing is left to do, so the lane can be given back.
  bool ended() const { return state_ == State::ending && runner_.ended(); }
  void give_back();

  const Submission& submission() const { return submission_; }
  PathClass path() const { return path_; }
  std::uint32_t index() const { return index_; }
  std::uint64_t bytes() const { return shape_.bytes; }
  bool communicates() const { return runner_.communicates(); }
  Nanoseconds queued_since() const { return since_; }
  Nanoseconds started_at() const { return started_at_; }
  std::optional<Runner::Span> span(timeline::Phase phase) const { return runner_.span(phase); }
  /// Calls `visit(const Runner::Traffic&, rank of the peer)` for the links that were used.
  template <class Visit>
  void for_each_traffic(const Visit& visit) const {
    for (const Runner::Traffic& traffic : runner_.traffic()) {
      const bool in_node =
          traffic.use == timeline::LinkUse::read_in_node || traffic.use == timeline::LinkUse::written_in_node;
      visit(traffic, in_node ? site_.ranks()[static_cast<std::size_t>(traffic.peer)] : traffic.peer);
    }
  }
  /// The profiler's range for the submission.
  std::uint64_t profiled() const { return profiled_; }
  std::string dump() const;
  /// Who has not given the lane back.
  std::string dump_missing() const;

 private:
  enum class State : unsigned char { free, posting, running, ending };

  void describe_shape();
  void post();
  std::optional<PathClass> path_by_boards() const;
  void launch();
  void bind_own_memory();
  void bind_mapped_memory();
  void bind_gather();
  bool posted(int member) const { return board(member).published(sequence_ + 1); }
  Board board(int member) const { return Board(site_.layout().board(site_.node().area(member), index_)); }

  const Site& site_;
  std::uint32_t index_;
  const Clock& stopwatch_;
  Runner runner_;
  Submission submission_;
  BatchShape shape_;
  State state_ = State::free;
  PathClass path_ = PathClass::staged;
  std::uint64_t sequence_ = 0;
  std::uint64_t base_ = 0;
  Nanoseconds since_ = 0;
  Nanoseconds started_at_ = 0;
  std::uint64_t profiled_ = 0;
};

}  // namespace treering::ops
