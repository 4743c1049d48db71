// Takes single waits, signals, bells and lane returns out of right programs: the checker must notice every one, which
// also shows that no program waits or signals in vain.

#include <doctest/doctest.h>

#include <algorithm>

#include "checked_job.h"
#include "plan_shapes.h"

using namespace treering;
using namespace treering::ops;
using namespace treering::ops::test;

namespace {

struct Subject {
  std::string name;
  topology::Plan plan;
  BatchShape shape;
  std::vector<PathClass> paths;
  std::uint64_t grain = 64;
};

BatchShape broadcast_shape(std::uint64_t bytes, int root) {
  BatchShape shape;
  shape.kind = OperationKind::broadcast;
  shape.bytes = bytes;
  shape.root = root;
  return shape;
}

BatchShape gather_shape(std::vector<std::uint64_t> parts) {
  BatchShape shape;
  shape.kind = OperationKind::allgather;
  shape.gather_bytes = std::move(parts);
  for (const std::uint64_t part : shape.gather_bytes) shape.bytes += part;
  return shape;
}

std::vector<Subject> subjects() {
  const auto staged = std::vector{PathClass::staged};
  const auto mapped = std::vector{PathClass::mapped};
  return {
      {"one shot", small_star({0, 0, 0}), allreduce_shape(500), {PathClass::one_shot}},
      {"mapped, one node", small_star({0, 0, 0}), allreduce_shape(5000), mapped},
      {"staged, one node", small_star({0, 0, 0}), allreduce_shape(5000), staged},
      {"staged, one chunk", small_star({0, 0, 0}), allreduce_shape(300), staged},
      {"chain of members", small_trees({0, 0, 0, 0}, TreeKind::chain), allreduce_shape(5000), staged},
      {"binary tree", small_trees({0, 0, 0, 0, 0}, TreeKind::binary, 2), allreduce_shape(5000), staged},
      {"up a chain, down a tree", apart(small_trees(std::vector<int>(5), TreeKind::binary, 2), TreeKind::chain),
       allreduce_shape(9000), staged},
      {"up a tree, down a star", apart(small_star(std::vector<int>(4)), TreeKind::binary), allreduce_shape(12'000),
       staged},
      {"up a chain, down a star, two nodes", apart(small_star({0, 0, 0, 1}), TreeKind::chain), allreduce_shape(12'288),
       staged},
      {"exchange", small_star({0, 0, 1}), allreduce_shape(120), staged},
      {"exchange, mapped", small_star({0, 0, 1}), allreduce_shape(120), mapped},
      {"ring of two", small_star({0, 0, 1, 1}), allreduce_shape(8192), staged},
      {"ring of three", small_star({0, 0, 1, 2}), allreduce_shape(9216), staged},
      {"ring of three, mapped", small_star({0, 0, 1, 2}), allreduce_shape(9216), mapped},
      {"chain of nodes", small_star({0, 0, 1, 2}), allreduce_shape(9216, true), staged},
      {"broadcast", small_star({0, 0, 1, 1, 2}), broadcast_shape(1500, 0), staged},
      {"allgather", small_star({0, 0, 1, 1}), gather_shape({1500, 1700, 900, 1000}), staged, 4},
      {"allgather, three nodes", small_star({0, 0, 1, 2}), gather_shape({1500, 1700, 900, 1000}), staged, 4},
  };
}

void drop(Program& program, std::size_t index) {
  program.instructions[index].op = Opcode::wait;
  program.instructions[index].value = {};
}

bool same(const CounterRef& a, const CounterRef& b) { return a.member == b.member && a.index == b.index; }

/// Without the instruction; a signal goes together with all of its stream's for the same counter, because in an
/// unrolled loop the next one makes good for it, later.
Program without(const Program& program, std::size_t index) {
  Program mutant = program;
  const Instruction& dropped = program.instructions[index];
  for (std::size_t i = 0; i < program.instructions.size(); ++i)
    if (dropped.op == Opcode::signal && program.instructions[i].op == Opcode::signal &&
        same(program.instructions[i].counter, dropped.counter))
      drop(mutant, i);
  drop(mutant, index);
  return mutant;
}

/// The subject at its own size, and a little larger, so that the last group of chunks is full or not; the programs are
/// the same but for their counts.
std::vector<CheckedJob> jobs_of(const Subject& subject, int runs) {
  std::vector<CheckedJob> jobs;
  for (std::uint64_t more = 0; more < 4; ++more) {
    BatchShape shape = subject.shape;
    if (shape.kind == OperationKind::allreduce && shape.bytes > 1000) shape.bytes += more * 128 * 2;
    jobs.emplace_back(subject.plan, shape, subject.paths, runs);
    if (shape.bytes == subject.shape.bytes && more > 0) jobs.pop_back();
  }
  return jobs;
}

}  // namespace

TEST_CASE("mutations: every dropped wait and signal is noticed") {
  for (const Subject& subject : subjects()) {
    const std::vector<CheckedJob> jobs = jobs_of(subject, 3);
    CheckOptions options;
    options.grain = subject.grain;
    for (const CheckedJob& job : jobs) {
      const CheckReport clean = job.check(options);
      REQUIRE_MESSAGE(clean.problems.empty(), subject.name << ": " << clean.problems.front());
    }
    int mutants = 0;
    for (int rank = 0; rank < jobs[0].ranks(); ++rank) {
      const Program& program = jobs[0].program(rank);
      for (std::size_t i = 0; i < program.instructions.size(); ++i) {
        const Instruction& instruction = program.instructions[i];
        if (instruction.op != Opcode::wait && instruction.op != Opcode::signal) continue;
        ++mutants;
        const bool noticed = std::ranges::any_of(jobs, [&](const CheckedJob& job) {
          return !job.check_with(rank, without(job.program(rank), i), options).problems.empty();
        });
        CHECK_MESSAGE(noticed, subject.name << ", rank " << rank << ": nobody misses instruction " << i << ", "
                                            << describe(program, instruction, 0));
      }
    }
    CHECK(mutants > 0);
  }
}

TEST_CASE("mutations: every dropped bell is noticed") {
  for (const Subject& subject : subjects()) {
    const CheckedJob job(subject.plan, subject.shape, subject.paths, 1);
    CheckOptions options;
    options.grain = subject.grain;
    for (int rank = 0; rank < job.ranks(); ++rank) {
      const Program& program = job.program(rank);
      for (std::size_t i = 0; i < program.rings.size(); ++i) {
        Program mutant = program;
        mutant.rings[i] = 99;
        CHECK_MESSAGE(!job.check_with(rank, mutant, options).problems.empty(), subject.name << ", rank " << rank);
      }
    }
  }
}

// Where the next program writes at once into slots from which the last one still hands out results: a broadcast by the
// rank that does not wait. (In mapped memory nobody reads another member's slots.)
TEST_CASE("mutations: a lane taken before all have returned it is noticed") {
  for (const Subject& subject : subjects()) {
    const CheckedJob job(subject.plan, subject.shape, subject.paths, 1);
    bool noticed = false;
    if (subject.paths.front() == PathClass::mapped || subject.shape.kind != OperationKind::allreduce) continue;
    for (const topology::NodePlan& node : subject.plan.nodes)
      for (const int rank : node.ranks) {
        if (node.ranks.size() == 1) continue;
        topology::Plan coarse = subject.plan;  // chunks that fill the slots
        coarse.chunk_bytes = coarse.slot_bytes;
        const CheckedJob next(coarse, broadcast_shape(2 * coarse.slot_bytes, rank), {PathClass::staged}, 1);
        CheckOptions options;
        REQUIRE(job.check_before(next, options).problems.empty());
        options.careless_rank = rank;
        for (const int other : node.ranks) {
          options.ignored_rank = other;
          noticed = noticed || (other != rank && !job.check_before(next, options).problems.empty());
        }
      }
    CHECK_MESSAGE(noticed, subject.name);
  }
}

TEST_CASE("mutations: wrong places, peers, operands and scales are noticed") {
  const CheckedJob job(small_star({0, 0, 1}), allreduce_shape(9000), {PathClass::staged}, 2);
  REQUIRE(job.check().problems.empty());
  for (int rank = 0; rank < job.ranks(); ++rank) {
    const Program& program = job.program(rank);
    const auto noticed = [&](auto&& change) {
      Program mutant = program;
      change(mutant);
      return !job.check_with(rank, mutant).problems.empty();
    };
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction& instruction = program.instructions[i];
      if (instruction.sources.count + instruction.destinations.count == 0) continue;
      CHECK(noticed([&](Program& mutant) { mutant.instructions[i].chunk.first += 1; }));
      if (instruction.op == Opcode::reduce && instruction.sources.count > 1)
        CHECK(noticed([&](Program& mutant) { mutant.instructions[i].sources.count -= 1; }));
      if (instruction.op == Opcode::send) CHECK(noticed([&](Program& mutant) { mutant.instructions[i].channel += 1; }));
    }
    for (std::size_t i = 0; i < program.operands.size(); ++i)
      if (program.operands[i].space == Space::slot)
        CHECK(noticed([&](Program& mutant) { mutant.operands[i].shift += 1; }));
    CHECK(noticed([&](Program& mutant) { mutant.advance += 1; }) == (rank < 2));
    bool scales = false;
    for (std::size_t i = 0; i < program.reductions.size(); ++i)
      if (program.reductions[i].finish != device::Finish::none)
        scales = noticed([&](Program& mutant) { mutant.reductions[i].finish = device::Finish::none; });
    CHECK(scales);
  }
}
