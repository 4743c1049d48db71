#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <random>

#include "allreduce_fixture.h"
#include "plan_shapes.h"

using namespace treering;
using namespace treering::ops;
using namespace treering::ops::test;

namespace {

void run_one(const JobOptions& options, const Work& work) {
  TestJob job(options);
  Allreduce allreduce(job, work, 1);
  for (int rank = 0; rank < job.size(); ++rank) allreduce.submit(rank);
  job.run();
  allreduce.check();
  for (int rank = 0; rank < job.size(); ++rank) {
    REQUIRE(job.finished(rank).size() == 1);
    CHECK(job.finished(rank)[0].cookie == 1);
  }
}

const std::vector<std::vector<int>> shapes{
    {0},          {0, 0},          {0, 0, 0},    {0, 0, 0, 0, 0}, {0, 1},
    {0, 0, 0, 1}, {0, 0, 1, 1, 2}, {0, 1, 2, 3}, {0, 1, 0, 1},    {0, 0, 0, 0, 0, 1, 1, 2}};

const std::vector<std::vector<int>> some_shapes{{0}, {0, 0, 0}, {0, 0, 1}, {0, 1, 2}};

}  // namespace

TEST_CASE("executor: every shape, size and kind of memory gives exact sums on all ranks") {
  unsigned seed = 1;
  const std::vector<std::vector<std::size_t>> sizes{{1}, {16}, {100}, {33, 1, 90}, {3001}, {700, 5, 64, 900, 1, 2000}};
  for (const std::vector<int>& shape : shapes)
    for (const std::vector<std::size_t>& counts : sizes)
      for (const Memory memory : {Memory::private_, Memory::mapped, Memory::mixed})
        for (const bool in_place : {true, false}) {
          Work work;
          work.counts = counts;
          work.memory = memory;
          work.in_place = in_place;
          JobOptions options = small_options(shape, ++seed);
          options.tunables.deterministic = seed % 2;
          run_one(options, work);
        }
}

TEST_CASE("executor: every type and operation") {
  unsigned seed = 100;
  for (int type = 0; type < data_type_count; ++type)
    for (int op = 0; op < reduce_op_count; ++op)
      for (const std::vector<int>& shape : some_shapes)
        for (const std::size_t count : {std::size_t{31}, std::size_t{2500}}) {
          Work work;
          work.type = static_cast<DataType>(type);
          work.op = static_cast<ReduceOp>(op);
          if (work.type == DataType::boolean && work.op == ReduceOp::average) continue;
          work.counts = {count, 7};
          work.in_place = ++seed % 2 == 0;
          work.memory = seed % 3 == 0 ? Memory::mapped : Memory::private_;
          run_one(small_options(shape, seed), work);
        }
}

TEST_CASE("executor: scales before and after, where the rules say") {
  unsigned seed = 300;
  for (const DataType type : {DataType::f32, DataType::f64, DataType::bf16, DataType::f16})
    for (int op = 0; op < reduce_op_count; ++op)
      for (const std::vector<int>& shape : some_shapes)
        for (const std::size_t count : {std::size_t{9}, std::size_t{600}})
          for (const Memory memory : {Memory::mapped, Memory::private_}) {
            Work work;
            work.type = type;
            work.op = static_cast<ReduceOp>(op);
            work.counts = {count};
            work.memory = memory;
            work.prescale = 0.5;
            work.postscale = 2.0;
            run_one(small_options(shape, ++seed), work);
          }
}

TEST_CASE("executor: many submissions in flight, ranks far apart") {
  unsigned seed = 500;
  for (const std::vector<int>& shape : shapes) {
    TestJob job(small_options(shape, ++seed));
    std::mt19937 random(seed);
    std::deque<Allreduce> all;
    std::size_t heap = 0;
    for (int step = 0; step < 30; ++step) {
      Work work;
      work.type = static_cast<DataType>(random() % 8);
      work.op = work.type == DataType::bf16 || work.type == DataType::f16 ? ReduceOp::max : ReduceOp::sum;
      work.in_place = random() % 2 == 0;
      work.memory = static_cast<Memory>(random() % 3);
      for (unsigned i = 0; i < 1 + random() % 4; ++i) work.counts.push_back(1 + random() % (random() % 2 ? 40 : 1500));
      all.emplace_back(job, work, step, (heap + 63) / 64 * 64);
      heap = all.back().end();
    }
    REQUIRE(heap < (1 << 20));
    for (int rank = 0; rank < job.size(); ++rank)
      for (Allreduce& allreduce : all) allreduce.submit(rank);
    job.run();
    for (const Allreduce& allreduce : all) allreduce.check();
  }
}

TEST_CASE("executor: deeper trees") {
  unsigned seed = 700;
  for (const TreeKind kind : {TreeKind::chain, TreeKind::binary})
    for (const std::vector<int>& shape : {std::vector<int>{0, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 1, 2}})
      for (const std::size_t count : {std::size_t{20}, std::size_t{4000}}) {
        topology::Plan plan = small_trees(shape, kind);
        JobOptions options = small_options(shape, ++seed);
        options.tunables.one_shot_limit = 0;
        options.plan = &plan;
        Work work;
        work.counts = {count, 13};
        work.prescale = 0.5;
        run_one(options, work);
      }
}

TEST_CASE("executor: mapped memory is used where all can see it, and only there") {
  for (const Memory memory : {Memory::mapped, Memory::mixed, Memory::private_})
    for (const bool blind : {false, true}) {
      TestJob job(small_options({0, 0, 0}, 11));
      if (blind) job.node_of(0).blind[2] = true;
      Work work;
      work.counts = {900};
      work.memory = memory;
      Allreduce allreduce(job, work, 1);
      for (int rank = 0; rank < job.size(); ++rank) allreduce.submit(rank);
      job.run();
      allreduce.check();
      for (int rank = 0; rank < job.size(); ++rank)
        CHECK(job.finished(rank).at(0).mapped == (memory == Memory::mapped && !blind));
    }
}

TEST_CASE("executor: batches of more segments than can be posted, and of none") {
  TestJob job(small_options({0, 0, 1}, 12));
  Work work;
  work.type = DataType::u8;
  work.counts.assign(1100, 3);
  work.memory = Memory::mapped;
  Allreduce many(job, work, 1);
  work.counts.clear();
  Allreduce none(job, work, 2);
  for (int rank = 0; rank < job.size(); ++rank) {
    many.submit(rank);
    none.submit(rank);
  }
  job.run();
  many.check();
  for (int rank = 0; rank < job.size(); ++rank) {
    CHECK(job.finished(rank).size() == 2);
    CHECK_FALSE(job.finished(rank).at(0).mapped);
  }
}

TEST_CASE("executor: a deterministic average has the same bits however it is batched") {
  for (const DataType type : {DataType::f32, DataType::bf16}) {
    std::vector<std::byte> first;
    for (const std::size_t before : {std::size_t{0}, std::size_t{50}, std::size_t{3000}})
      for (const Memory memory : {Memory::private_, Memory::mapped}) {
        JobOptions options = small_options({0, 0, 1, 1, 1, 2}, 20);
        options.tunables.deterministic = 1;
        TestJob job(options);
        Work work;
        work.type = type;
        work.op = ReduceOp::average;
        work.prescale = 0.3;
        work.postscale = 1.0 / 0.3;
        work.memory = memory;
        if (before > 0) work.counts = {before};
        work.counts.push_back(37);
        Allreduce allreduce(job, work, 1);
        allreduce.set_first_element(work.counts.size() - 1, 5);
        for (int rank = 0; rank < job.size(); ++rank) allreduce.submit(rank);
        job.run();
        std::vector<std::byte> tail = allreduce.result();
        tail.erase(tail.begin(), tail.end() - static_cast<std::ptrdiff_t>(37 * size_of(type)));
        if (first.empty()) first = tail;
        CHECK(tail == first);
      }
  }
}

TEST_CASE("executor: a thread per rank") {
  for (const std::vector<int>& shape : {std::vector<int>{0, 0}, {0, 0, 1}, {0, 1}}) {
    TestJob job(small_options(shape, 30));
    std::deque<Allreduce> all;
    std::size_t heap = 0;
    for (int step = 0; step < 40; ++step) {
      Work work;
      work.memory = static_cast<Memory>(step % 3);
      work.counts = {static_cast<std::size_t>(1 + step * 37 % 1000), 5};
      all.emplace_back(job, work, step, (heap + 63) / 64 * 64);
      heap = all.back().end();
    }
    for (int rank = 0; rank < job.size(); ++rank)
      for (Allreduce& allreduce : all) allreduce.submit(rank);
    job.run_threads();
    for (const Allreduce& allreduce : all) allreduce.check();
  }
}

TEST_CASE("executor: the dump says what is waited for") {
  TestJob job(small_options({0, 0}, 40));
  Work work;
  work.counts = {2000};
  std::deque<Allreduce> all;
  for (int step = 0; step < 4; ++step) all.emplace_back(job, work, step);
  for (Allreduce& allreduce : all) allreduce.submit(0);
  for (int i = 0; i < 3; ++i) job.executor(0).step();
  CHECK(job.executor(0).dump().find("waits for the addresses of rank 1") != std::string::npos);
  for (Allreduce& allreduce : all) allreduce.submit(1);
  job.executor(1).step();
  for (int i = 0; i < 3; ++i) job.executor(0).step();
  const std::string dump = job.executor(0).dump();
  CHECK(dump.find("'step 0': allreduce of 8000 bytes, staged") != std::string::npos);
  CHECK(dump.find("of rank 1: have") != std::string::npos);
  CHECK(dump.find("1 queued") != std::string::npos);
  job.run();
}

namespace {

class PhaseCounter final : public timeline::Recorder {
 public:
  PhaseCounter() { enable(true); }
  std::uint32_t name(std::string_view) override { return 1; }
  void record(const timeline::Record& record) override {
    ++kinds[record.kind];
    CHECK(record.time > 0);
    CHECK(record.values[0] == 1);  // the second batch
    if (record.kind == timeline::Kind::stage) ++phases[static_cast<timeline::Phase>(record.values[1])];
    if (record.kind == timeline::Kind::link)
      bytes[static_cast<timeline::LinkUse>(record.values[1])] += record.values[3];
    if (record.kind != timeline::Kind::batch_done) return;
    CHECK(record.values[3] >= record.values[4]);  // waiting includes running
    CHECK(record.values[4] > 0);
    CHECK(record.values[5] == 12'000);
  }

  std::map<timeline::Kind, int> kinds;
  std::map<timeline::Phase, int> phases;
  std::map<timeline::LinkUse, std::uint64_t> bytes;
};

}  // namespace

TEST_CASE("executor: the timeline shows the stages of a batch once per rank") {
  using timeline::Kind;
  using timeline::LinkUse;
  using timeline::Phase;
  PhaseCounter counter;
  JobOptions options = small_options({0, 0, 1}, 50);
  options.recorder = &counter;
  Work work;
  work.counts = {3000};
  run_one(options, work);
  CHECK(counter.kinds[Kind::batch_done] == 3);
  CHECK(counter.phases[Phase::packed] == 2);
  CHECK(counter.phases[Phase::tree] == 3);
  CHECK(counter.phases[Phase::ring] == 3);
  CHECK(counter.phases[Phase::broadcast] == 3);
  CHECK(counter.phases[Phase::unpacked] == 2);
  CHECK(counter.bytes[LinkUse::sent] >= 2 * 12'000);  // each node sends what it has to the other
  CHECK(counter.bytes[LinkUse::sent] == counter.bytes[LinkUse::received]);
  CHECK(counter.bytes[LinkUse::read_in_node] > 0);
}
