#pragma once

#include <memory>
#include <vector>

#include "ops/checker.h"
#include "ops/compile.h"

namespace treering::ops::test {

/// The compiled programs of all ranks of a job, to be checked as they are or after a mutation.
class CheckedJob {
 public:
  /// `paths`: per node; the last one counts for all further nodes.
  CheckedJob(const topology::Plan& plan, const BatchShape& shape, const std::vector<PathClass>& paths, int runs);

  CheckReport check(const CheckOptions& options = {}) const;
  /// With one rank's program replaced, in all runs.
  CheckReport check_with(int rank, const Program& program, const CheckOptions& options = {}) const;

  /// Followed by a run of another job on the same plan.
  CheckReport check_before(const CheckedJob& next, const CheckOptions& options = {}) const;

  int ranks() const { return static_cast<int>(programs_.size()); }
  const Program& program(int rank) const { return programs_[static_cast<std::size_t>(rank)]; }

 private:
  topology::Plan plan_;
  Geometry geometry_;
  BatchShape shape_;
  int runs_;
  std::vector<Program> programs_;
};

/// An allreduce of f32 with scales before and after.
BatchShape allreduce_shape(std::uint64_t bytes, bool deterministic = false);

}  // namespace treering::ops::test
