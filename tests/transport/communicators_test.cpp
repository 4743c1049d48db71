#include "transport/nccl/communicators.h"

#include <doctest/doctest.h>

#include <array>
#include <random>

#include "tests/transport/collective_job.h"

using namespace treering;
using namespace treering::transport;
using transport::tests::CollectiveJob;

namespace {

using Words = std::vector<std::int32_t>;
using Phase = Communicators::Phase;

constexpr std::size_t count = 1031;

Words draw(std::mt19937_64& random) {
  Words words(count);
  for (std::int32_t& word : words) word = static_cast<std::int32_t>(random() % 200001) - 100000;
  return words;
}

/// One collective over all devices (cross < 0) or over device `cross` of every process, on fresh memory.
struct Collective {
  int cross = -1;
  ReduceOp op = ReduceOp::sum;
  bool in_place = false;
  std::vector<Words> inputs;                // by process, then device
  std::vector<const std::byte*> addresses;  // of the inputs
  std::vector<std::byte*> outputs;

  bool has(int device) const { return cross < 0 || cross == device; }
};

Collective make(CollectiveJob& job, int cross, std::mt19937_64& random) {
  Collective made;
  made.cross = cross;
  made.op = random() % 2 == 0 ? ReduceOp::sum : ReduceOp::max;
  made.in_place = random() % 2 == 0;
  for (int p = 0; p < job.processes(); ++p) {
    for (int d = 0; d < job.devices(); ++d) {
      if (!made.has(d)) continue;
      device::Device& device = *job.process(p).devices[static_cast<std::size_t>(d)];
      std::byte* const input = job.allocate(device, count * 4);
      job.write(device, input, made.inputs.emplace_back(draw(random)));
      made.addresses.push_back(input);
      made.outputs.push_back(made.in_place ? input : job.allocate(device, count * 4));
    }
  }
  return made;
}

/// Process p's calls for it; those of one device are on the stream of their communicator.
std::vector<CollectiveCall> calls_of(CollectiveJob& job, const Collective& what, int p) {
  std::vector<CollectiveCall> calls;
  const std::size_t members = what.cross < 0 ? static_cast<std::size_t>(job.devices()) : 1;
  for (std::size_t i = 0; i < members; ++i) {
    const std::size_t d = what.cross < 0 ? i : static_cast<std::size_t>(what.cross);
    const std::size_t at = static_cast<std::size_t>(p) * members + i;
    CollectiveJob::Process& process = job.process(p);
    calls.push_back({what.cross < 0 ? d : static_cast<std::size_t>(job.devices()) + d, what.addresses[at],
                     what.outputs[at], count, DataType::i32, what.op,
                     what.cross < 0 ? process.flat[d] : process.cross[d]});
  }
  return calls;
}

Words expected(const Collective& what) {
  Words result = what.inputs.front();
  for (std::size_t m = 1; m < what.inputs.size(); ++m)
    for (std::size_t i = 0; i < count; ++i)
      result[i] = what.op == ReduceOp::sum ? result[i] + what.inputs[m][i] : std::max(result[i], what.inputs[m][i]);
  return result;
}

int wrong_results(CollectiveJob& job, const Collective& what) {
  const Words right = expected(what);
  int wrong = 0;
  std::size_t at = 0;
  for (int p = 0; p < job.processes(); ++p)
    for (int d = 0; d < job.devices(); ++d)
      if (what.has(d))
        wrong += job.read(*job.process(p).devices[static_cast<std::size_t>(d)], what.outputs[at++], count) != right;
  return wrong;
}

CollectiveDeadlines short_ones() {
  CollectiveDeadlines deadlines;
  deadlines.create = std::chrono::milliseconds(100);
  deadlines.call = std::chrono::milliseconds(100);
  deadlines.finish = std::chrono::milliseconds(100);
  deadlines.end = std::chrono::milliseconds(100);
  deadlines.abort = std::chrono::milliseconds(20);
  return deadlines;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A job whose last process is hit by the fault: the others are told, as the engine tells them, when one has failed.
void check_fault(CollectiveJob& job, StatusCode code, const std::string& part) {
  std::mt19937_64 random(3);
  const Collective flat = make(job, -1, random);
  for (int p = 0; p < job.processes(); ++p) job.process(p).communicators->launch(calls_of(job, flat, p));
  const auto first = [&]() -> const Status* {
    for (int p = 0; p < job.processes(); ++p)
      if (!job.process(p).communicators->failure().ok()) return &job.process(p).communicators->failure();
    return nullptr;
  };
  REQUIRE(job.until([&] { return first() != nullptr; }));
  const Status cause = *first();
  CHECK(cause.code() == code);
  CHECK_MESSAGE(contains(cause.message(), part), cause.message());
  for (int p = 0; p < job.processes(); ++p) job.process(p).communicators->abort(cause);
  CHECK(job.until([&] { return job.all_in(Phase::aborted); }));
  // No kernel waits any more, whatever the library has left behind.
  CHECK(job.until([&] {
    for (int p = 0; p < job.processes(); ++p)
      for (std::size_t d = 0; d < static_cast<std::size_t>(job.devices()); ++d)
        if (job.process(p).devices[d]->query(job.process(p).flat[d]) != device::Progress::done) return false;
    return true;
  }));
}

}  // namespace

TEST_CASE("communicators: flat and cross collectives in one order, whatever the schedule") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    CollectiveJob job(1 + static_cast<int>(seed % 3), 1 + static_cast<int>(seed / 3 % 3), seed);
    std::vector<Collective> all;
    for (int i = 0; i < 8; ++i) {
      const auto members = static_cast<std::uint64_t>(job.devices());
      all.push_back(make(job, static_cast<int>(random() % (members + 1)) - 1, random));
      for (int p = 0; p < job.processes(); ++p) job.process(p).communicators->launch(calls_of(job, all.back(), p));
    }
    for (int p = 0; p < job.processes(); ++p) job.process(p).communicators->end();
    REQUIRE(job.until([&] { return job.all_in(Phase::ended); }));
    for (const Collective& one : all) CHECK(wrong_results(job, one) == 0);
    for (int p = 0; p < job.processes(); ++p) {
      CHECK(job.process(p).communicators->failure().ok());
      CHECK(job.process(p).communicators->is_done(8));
      CHECK(job.process(p).library->living() == 0);
    }
    CHECK(job.misuses().empty());
  }
}

TEST_CASE("communicators: what is enqueued after has_launched runs after the collective, before it is too early") {
  const auto wrong = [](std::uint64_t seed, bool patient) {
    std::mt19937_64 random(seed);
    CollectiveJob job(2, 1, seed);
    const Collective one = make(job, -1, random);
    std::array<std::byte*, 2> copies{};
    std::array<bool, 2> copied{};
    for (int p = 0; p < 2; ++p) {
      job.process(p).communicators->launch(calls_of(job, one, p));
      copies[static_cast<std::size_t>(p)] = job.allocate(*job.process(p).devices[0], count * 4);
    }
    const auto all_done = [&] {
      bool done = true;
      for (std::size_t p = 0; p < 2; ++p) {
        CollectiveJob::Process& process = job.process(static_cast<int>(p));
        const bool ready = process.communicators->phase() == Phase::ready;
        if (!copied[p] && (patient ? process.communicators->has_launched(1) : ready))
          copied[p] = process.devices[0]->copy(process.flat[0], one.outputs[p], copies[p], count * 4).ok();
        done = done && copied[p] && process.communicators->is_done(1) &&
               process.devices[0]->query(process.flat[0]) == device::Progress::done;
      }
      return done;
    };
    REQUIRE(job.until(all_done));
    int different = 0;
    for (std::size_t p = 0; p < 2; ++p)
      different += job.read(*job.process(static_cast<int>(p)).devices[0], copies[p], count) != expected(one);
    return different;
  };
  int early = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    CHECK(wrong(seed, true) == 0);
    early += wrong(seed, false);
  }
  CHECK(early > 0);
}

TEST_CASE("communicators: without the chain of events two communicators on the same devices stop each other") {
  int stopped = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    CollectiveJob job(2, 1, seed);
    REQUIRE(job.until([&] { return job.all_in(Phase::ready); }));
    const Collective flat = make(job, -1, random);
    const Collective cross = make(job, 0, random);
    std::vector<DeviceCommunicator> handles;
    // Straight to the library: handles count from one, flat first.
    const auto call = [&](const Collective& what, std::uint64_t handle) {
      for (int p = 0; p < 2; ++p) {
        const CollectiveCall one = calls_of(job, what, p).front();
        static_cast<void>(job.process(p).library->all_reduce({reinterpret_cast<void*>(handle)}, one.input, one.output,
                                                             count, one.type, one.op, one.stream));
      }
    };
    call(flat, 1);
    call(cross, 2);
    const auto done = [&] {
      bool all = true;
      for (int p = 0; p < 2; ++p) {
        for (std::uint64_t handle = 1; handle <= 2; ++handle)
          all = job.process(p).library->state({reinterpret_cast<void*>(handle)}) == CallState::success && all;
        all = job.process(p).devices[0]->query(job.process(p).flat[0]) == device::Progress::done && all;
        all = job.process(p).devices[0]->query(job.process(p).cross[0]) == device::Progress::done && all;
      }
      return all;
    };
    stopped += !job.until(done, 500);
  }
  CHECK(stopped > 0);
  CHECK(stopped < 40);
}

TEST_CASE("communicators: a member that never comes ends creation by its deadline") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    CollectiveJob job(3, 2, seed, short_ones(), 2);
    REQUIRE(job.until([&] { return job.all_in(Phase::aborted); }));
    for (int p = 0; p < 2; ++p) {
      CHECK(job.process(p).communicators->failure().code() == StatusCode::timed_out);
      CHECK(contains(job.process(p).communicators->failure().message(), "creating"));
      CHECK(job.process(p).communicators->left_behind().empty());
      CHECK(job.process(p).library->living() == 0);
    }
  }
}

TEST_CASE("communicators: refused calls, late errors and aborts without end") {
  using Kind = transport::sim::CollectiveFault::Kind;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const auto with = [&](Kind kind) {
      return [kind](CollectiveJob& job) { job.process(1).library->inject({kind, "flat", 0}); };
    };
    {
      CollectiveJob job(2, 2, seed, short_ones(), -1, with(Kind::refused));
      check_fault(job, StatusCode::internal, "on purpose");
      CHECK(job.process(1).library->living() == 0);
    }
    {
      CollectiveJob job(2, 2, seed, short_ones(), -1, with(Kind::late));
      check_fault(job, StatusCode::rank_failed, "after the launch");
      CHECK(job.process(0).library->living() == 0);
    }
    {
      CollectiveJob job(2, 2, seed, short_ones(), -1, [&](CollectiveJob& made) {
        with(Kind::late)(made);
        with(Kind::endless_abort)(made);
      });
      check_fault(job, StatusCode::rank_failed, "flat");
      CHECK(job.process(1).communicators->left_behind() == std::vector<std::string>{"flat", "flat"});
      CHECK(job.process(0).communicators->left_behind().empty());
    }
  }
}

TEST_CASE("communicators: a rank that does not call is noticed by the deadline alone") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    CollectiveJob job(2, 1, seed, short_ones());
    std::mt19937_64 random(seed);
    const Collective first = make(job, -1, random);
    const Collective second = make(job, -1, random);
    for (int p = 0; p < 2; ++p) job.process(p).communicators->launch(calls_of(job, first, p));
    const std::uint64_t lonely = job.process(0).communicators->launch(calls_of(job, second, 0));
    REQUIRE(job.until([&] { return !job.process(0).communicators->failure().ok(); }));
    const Status cause = job.process(0).communicators->failure();
    CHECK(cause.code() == StatusCode::timed_out);
    CHECK(contains(cause.message(), "a collective on flat"));
    CHECK(job.process(0).communicators->is_done(1));
    CHECK_FALSE(job.process(0).communicators->is_done(lonely));
    job.process(1).communicators->abort(cause);
    CHECK(job.until([&] { return job.all_in(Phase::aborted); }));
    CHECK(job.process(0).library->living() == 0);
    CHECK(wrong_results(job, first) == 0);
  }
}

TEST_CASE("communicators: members that call different things get an error, not a hang") {
  CollectiveJob job(2, 1, 1, short_ones());
  std::mt19937_64 random(1);
  const Collective one = make(job, -1, random);
  for (int p = 0; p < 2; ++p) {
    std::vector<CollectiveCall> calls = calls_of(job, one, p);
    if (p == 1) calls.front().elements -= 1;
    job.process(p).communicators->launch(calls);
  }
  REQUIRE(job.until([&] { return !job.process(0).communicators->failure().ok(); }));
  CHECK(contains(job.process(0).communicators->failure().message(), "different things"));
}
