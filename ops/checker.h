#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/batch_shape.h"
#include "ops/interpreter.h"

namespace treering::ops {

struct CheckOptions {
  std::uint64_t grain = 64;  ///< bytes per memory cell; must divide all bounds of the batch's chunks
  bool in_place = true;      ///< allreduce only
  /// A member of `rank`'s node whose lane return `rank` does not await; -1: it awaits all. For showing that the checker
  /// sees it.
  int careless_rank = -1;
  int ignored_rank = -1;
};

struct CheckReport {
  std::vector<std::string> problems;  ///< empty: the programs are right
  std::vector<std::string> results;   ///< per cell of the last run: the expression that every rank ends with
};

/// Judges the programs of all members of a job together, symbolically: every contribution exactly once, scaled exactly
/// once, the same expression on all ranks; no read before its write, no write before earlier reads, wherever waits and
/// messages do not order them (vector clocks, so one schedule stands for all); bells rung for all who wait; results
/// complete and memory untouched after `complete`; nothing hangs; messages match; slots are not left.
/// `programs`: by run and rank, all on one lane, one run after the other; `shapes`: by run.
CheckReport check(const topology::Plan& plan, const Geometry& geometry, const std::vector<BatchShape>& shapes,
                  const JobPrograms& programs, const CheckOptions& options = {});

}  // namespace treering::ops
