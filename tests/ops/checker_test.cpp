#include "ops/checker.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "checked_job.h"
#include "plan_shapes.h"

using namespace treering;
using namespace treering::ops;
using namespace treering::ops::test;

namespace {

std::string first_problem(const CheckReport& report) { return report.problems.empty() ? "" : report.problems.front(); }

void check_clean(const std::string& name, const topology::Plan& plan, const BatchShape& shape,
                 const std::vector<PathClass>& paths, CheckOptions options = {}) {
  const CheckReport report = CheckedJob(plan, shape, paths, 3).check(options);
  CHECK_MESSAGE(report.problems.empty(), name << ", " << shape.bytes << " bytes, deterministic " << shape.deterministic
                                              << ", path " << name_of(paths.front()) << ": " << first_problem(report));
}

const std::vector<std::uint64_t> sizes{1, 64, 1000, 4097, 9000, 40'001};

/// Some ranks drive several devices.
std::size_t ranks_of(const topology::Plan& plan) {
  std::set<int> ranks;
  for (const topology::NodePlan& node : plan.nodes) ranks.insert(node.ranks.begin(), node.ranks.end());
  return ranks.size();
}

}  // namespace

TEST_CASE("checker: allreduce is right on every plan, size and path") {
  for (const NamedPlan& shape : plan_shapes())
    for (const std::uint64_t bytes : sizes)
      for (const bool deterministic : {false, true})
        for (const PathClass path : {PathClass::staged, PathClass::mapped})
          for (const bool in_place : {true, false}) {
            CheckOptions options;
            options.in_place = in_place;
            check_clean(shape.name, shape.plan, allreduce_shape(bytes, deterministic), {path}, options);
          }
}

TEST_CASE("checker: nodes may take different paths") {
  for (const NamedPlan& shape : plan_shapes())
    for (const std::uint64_t bytes : sizes) {
      check_clean(shape.name, shape.plan, allreduce_shape(bytes), {PathClass::mapped, PathClass::staged});
      check_clean(shape.name, shape.plan, allreduce_shape(bytes), {PathClass::staged, PathClass::mapped});
    }
}

TEST_CASE("checker: one-shot on one node") {
  for (const std::vector<int>& nodes : {std::vector<int>{0, 0}, std::vector<int>(3), std::vector<int>(5)})
    for (const std::uint64_t bytes : {1U, 64U, 500U})
      check_clean("one node", small_star(nodes), allreduce_shape(bytes), {PathClass::one_shot});
}

TEST_CASE("checker: halves and integers take their own steps") {
  for (const NamedPlan& shape : plan_shapes())
    for (const DataType type : {DataType::f16, DataType::i32})
      for (const std::uint64_t bytes : {64U, 5000U}) {
        BatchShape batch = allreduce_shape(bytes);
        batch.type = type;
        check_clean(shape.name, shape.plan, batch, {PathClass::staged});
        batch.op = ReduceOp::max;
        batch.postscale = type == DataType::f16 ? 3.0 : 1.0;
        check_clean(shape.name, shape.plan, batch, {PathClass::mapped});
      }
}

TEST_CASE("checker: broadcast from every rank") {
  for (const NamedPlan& shape : plan_shapes()) {
    const int ranks = static_cast<int>(ranks_of(shape.plan));
    for (int root = 0; root < ranks; ++root)
      for (const std::uint64_t bytes : {1U, 128U, 3000U}) {
        BatchShape batch;
        batch.kind = OperationKind::broadcast;
        batch.bytes = bytes;
        batch.root = root;
        check_clean("broadcast " + shape.name, shape.plan, batch, {PathClass::staged});
      }
  }
}

TEST_CASE("checker: allgather of unequal and empty parts at odd offsets") {
  for (const NamedPlan& shape : plan_shapes()) {
    const std::size_t ranks = ranks_of(shape.plan);
    for (const std::vector<std::uint64_t>& pattern :
         {std::vector<std::uint64_t>{3}, {0, 700, 1}, {1500, 0, 0, 31}, {129, 1000, 128}, {1500}}) {
      BatchShape batch;
      batch.kind = OperationKind::allgather;
      for (std::size_t rank = 0; rank < ranks; ++rank) batch.gather_bytes.push_back(pattern[rank % pattern.size()]);
      batch.bytes = std::accumulate(batch.gather_bytes.begin(), batch.gather_bytes.end(), std::uint64_t{0});
      CheckOptions options;
      options.grain = 1;
      check_clean("allgather " + shape.name, shape.plan, batch, {PathClass::staged}, options);
    }
  }
}

TEST_CASE("checker: a deterministic result is the same expression at every size and path") {
  for (const std::vector<int>& nodes : {std::vector<int>{0, 0, 0}, {0, 0, 1, 1, 2}, {0, 1, 2, 3}}) {
    std::string all;
    for (const std::uint64_t bytes : sizes)
      for (const PathClass path : {PathClass::staged, PathClass::mapped}) {
        BatchShape shape = allreduce_shape(bytes, true);
        shape.type = DataType::bf16;  // other types may join several nodes in one step, with the same bits
        const CheckReport report = CheckedJob(small_star(nodes), shape, {path}, 1).check();
        for (const std::string& result : report.results) {
          if (all.empty()) all = result;
          CHECK(result == all);
        }
      }
  }
}

TEST_CASE("checker: many nodes") {
  for (const int nodes : {9, 18}) {
    std::vector<int> node_of(static_cast<std::size_t>(nodes));
    std::iota(node_of.begin(), node_of.end(), 0);
    node_of.push_back(3);
    for (const std::uint64_t bytes : {200U, 20000U}) {
      check_clean("many nodes", small_star(node_of), allreduce_shape(bytes), {PathClass::staged});
      BatchShape batch;
      batch.kind = OperationKind::broadcast;
      batch.bytes = bytes;
      batch.root = 5;
      check_clean("many nodes", small_star(node_of), batch, {PathClass::staged});
    }
  }
}

TEST_CASE("compile: a signal rings nobody who does not wait for it, and size does not depend on the bytes") {
  for (const NamedPlan& shape : plan_shapes())
    for (const PathClass path : {PathClass::staged, PathClass::mapped}) {
      const CheckedJob job(shape.plan, allreduce_shape(40'000), {path}, 1);
      const CheckedJob longer(shape.plan, allreduce_shape(std::uint64_t{1} << 40), {path}, 1);
      for (const std::vector<int>& numbers : topology::member_numbers(shape.plan))
        for (std::size_t member = 0; member < numbers.size(); ++member) {
          const Program& program = job.program(numbers[member]);
          CHECK(program.instructions.size() == longer.program(numbers[member]).instructions.size());
          for (const Instruction& signal : program.instructions)
            for (const std::uint16_t rung : program.ringed(signal)) {
              const Program& other = job.program(numbers[rung]);
              CHECK(std::ranges::any_of(other.instructions, [&](const Instruction& wait) {
                return wait.op == Opcode::wait && wait.counter.member == member &&
                       wait.counter.index == signal.counter.index;
              }));
            }
        }
    }
}
