#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops/lane.h"

namespace treering::ops {

/// One lane of all members of this rank, which run a submission together: it is done when all of them are. Engine
/// thread only.
class LaneRow {
 public:
  /// One site per member.
  LaneRow(const std::vector<std::unique_ptr<Site>>& sites, std::uint32_t index, transport::Wire& wire,
          const device::HostKernels& kernels, const Clock& stopwatch);

  bool held() const;
  bool returned() const { return lanes_.front()->returned(); }
  void start(Submission submission, std::uint64_t sequence, Nanoseconds since);
  /// Steps every member. True if anything moved.
  bool step(Budget& budget);
  /// True once, when the results of all members are in place and their memory is free.
  bool take_completion();
  /// Where nothing is left to do.
  void give_back_ended();

  /// Of the first member, whose lane is held until the completion is taken.
  const Submission& submission() const { return lanes_.front()->submission(); }
  PathClass path() const { return lanes_.front()->path(); }
  std::uint32_t index() const { return lanes_.front()->index(); }
  std::uint64_t bytes() const { return lanes_.front()->bytes(); }
  Nanoseconds queued_since() const { return lanes_.front()->queued_since(); }
  Nanoseconds started_at() const { return lanes_.front()->started_at(); }

  bool communicates() const;
  /// From the first member's begin to the last one's end.
  std::optional<Runner::Span> span(timeline::Phase phase) const;
  /// The profiler's range for the submission.
  std::uint64_t profiled() const { return lanes_.front()->profiled(); }
  /// Calls `visit(const Runner::Traffic&, rank of the peer)` for each member.
  template <class Visit>
  void for_each_traffic(const Visit& visit) const {
    for (const auto& lane : lanes_) lane->for_each_traffic(visit);
  }
  std::string dump() const;
  std::string dump_missing() const { return lanes_.front()->dump_missing(); }

 private:
  std::vector<std::unique_ptr<Lane>> lanes_;  // per member
  std::vector<char> complete_;                // per member
  bool taken_ = true;
};

}  // namespace treering::ops
