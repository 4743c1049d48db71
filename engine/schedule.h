#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/tunables.h"
#include "controller/controller.h"
#include "engine/pending.h"
#include "fusion/batch.h"
#include "ops/executor.h"
#include "transport/world.h"

namespace treering {

/// Turns delivered rounds into submissions in the one order that all ranks share, and finished submissions back into
/// progress of tasks. Decides only; the loop carries out. Engine thread only.
///
/// An allgather takes two submissions: sizes first, then, once these are known, the rows. What comes after it waits
/// until the second is submitted, since the order of submissions must not depend on when a rank learns the sizes.
class Schedule {
 public:
  /// `count` bytes of a task's tensors are in place.
  struct Progress {
    controller::Token token = 0;
    std::uint64_t count = 0;
  };

  /// Where a submission comes from.
  struct Origin {
    std::uint64_t round = 0;
    const std::vector<controller::Token>& tokens;  ///< per item of the round
  };

  Schedule(const transport::World& world, const Tunables& tunables, PendingTable& pending)
      : world_(world), tunables_(tunables), pending_(pending) {}

  /// Adds a round. Tasks in `pending` must exist for all its tokens.
  void add(const controller::RoundReady& ready);

  /// The next submission that may start, if any.
  std::optional<ops::Submission> next();

  /// Of a submission that has not been finished.
  Origin origin_of(std::uint64_t cookie) const;

  /// What the end of a submission means for tasks. `executed` grows by the bytes of rounds that are now done.
  std::vector<Progress> finished(std::uint64_t cookie, std::uint64_t& executed);

  bool idle() const { return waiting_.empty() && running_.empty(); }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Gather;
  struct Entry {
    std::shared_ptr<const fusion::Batch> batch;
    std::uint64_t round = 0;
    std::vector<controller::Token> tokens;  ///< per item of the round
    std::shared_ptr<Gather> gather;         ///< allgathers only
  };

  ops::Submission submission_of(const Entry& entry) const;
  ops::Submission size_submission(const Entry& entry) const;
  ops::Submission row_submission(const Entry& entry) const;
  void begin_rows(const Entry& entry);

  const transport::World& world_;
  const Tunables& tunables_;
  PendingTable& pending_;
  std::deque<Entry> waiting_;
  std::unordered_map<std::uint64_t, Entry> running_;
  std::uint64_t next_cookie_ = 0;
};

}  // namespace treering
