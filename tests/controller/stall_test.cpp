#include <doctest/doctest.h>

#include <algorithm>

#include "controller/look_alike.h"
#include "tests/controller/cluster.h"

using namespace treering;
using namespace treering::controller;
using namespace treering::controller::test;

namespace {

constexpr Nanoseconds second = 1'000'000'000;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Cluster::Options with_stalls(std::vector<int> node_of, Nanoseconds warning, Nanoseconds abort = 0) {
  Cluster::Options options;
  options.node_of = std::move(node_of);
  options.tunables.stall_warning_ns = static_cast<std::uint64_t>(warning);
  options.tunables.stall_abort_ns = static_cast<std::uint64_t>(abort);
  options.tunables.fanout = 1;
  return options;
}

}  // namespace

TEST_CASE("a spelled request that a rank has not made is reported once per interval, with the look-alike") {
  Cluster cluster(with_stalls({0, 0, 0}, 10 * second));
  cluster.request(0, allreduce("layer3/weight", 7));
  cluster.request(1, allreduce("layer3/weight", 7));
  cluster.settle();
  cluster.request(2, allreduce("layer3/wieght", 7));
  cluster.settle();
  REQUIRE(cluster.controller(0).next_timer());
  CHECK(*cluster.controller(0).next_timer() == 10 * second);
  cluster.pass(10 * second - 1);
  CHECK(cluster.notices().empty());
  cluster.pass(1);
  REQUIRE(cluster.notices().size() == 1);
  CHECK(cluster.notices()[0] ==
        "not every rank has asked for 'layer3/weight' (allreduce f32 [7] sum): asked for by ranks 0, 1, not by rank 2, "
        "for 10.0 s; rank 2 asked for 'layer3/wieght', which looks alike | 'layer3/wieght' (allreduce f32 [7] sum): "
        "asked for by rank 2, not by ranks 0, 1, for 10.0 s; ranks 0, 1 asked for 'layer3/weight', which looks alike");
  cluster.pass(9 * second);
  CHECK(cluster.notices().size() == 1);
  cluster.pass(second);
  CHECK(cluster.notices().size() == 2);
  CHECK(contains(cluster.notices()[1], "for 20.0 s"));
}

TEST_CASE("ids that wait deep in the tree are reported with the ranks that are missing, level by level") {
  // A chain of four leaders with two ranks each; everything is known by id.
  Cluster cluster(with_stalls({0, 0, 1, 1, 2, 2, 3, 3}, 16 * second));
  cluster.request_everywhere(allreduce("g", 7));
  cluster.settle();
  CHECK_FALSE(cluster.controller(0).next_timer());
  for (const int rank : {0, 1, 2, 3, 4, 5, 6}) cluster.request(rank, allreduce("g", 7));
  cluster.settle();
  for (int i = 0; i < 19; ++i) cluster.pass(second);
  REQUIRE(cluster.notices().size() == 1);
  CHECK(contains(cluster.notices()[0], "asked for by ranks 0-6, not by rank 7, for 19.0 s"));
  cluster.request(7, allreduce("g", 7));
  cluster.settle();
  cluster.check_endings();
  for (int rank = 0; rank < 8; ++rank) CHECK_FALSE(cluster.controller(rank).next_timer());
  cluster.pass(100 * second);
  CHECK(cluster.notices().size() == 1);
}

TEST_CASE("what a child reported about one instance says nothing about the next") {
  Cluster cluster(with_stalls({0, 0, 1, 1, 2, 2, 3, 3}, 16 * second));
  cluster.request_everywhere(allreduce("g", 7));
  cluster.settle();
  for (const int rank : {0, 1, 2, 3, 4, 5, 6}) cluster.request(rank, allreduce("g", 7));
  cluster.settle();
  for (int i = 0; i < 19; ++i) cluster.pass(second);
  CHECK(cluster.notices().size() == 1);
  cluster.request(7, allreduce("g", 8));
  cluster.settle();
  cluster.check_endings();
  cluster.request(0, allreduce("g", 7));
  cluster.settle();
  for (int i = 0; i < 19; ++i) cluster.pass(second);
  REQUIRE(cluster.notices().size() == 2);
  CHECK(contains(cluster.notices()[1], "asked for by rank 0, not by ranks 1-7, for 19.0 s"));
}

TEST_CASE("a notice is bounded") {
  Cluster cluster(with_stalls({0, 0}, second));
  for (int name = 0; name < 300; ++name) cluster.request(1, allreduce("t" + std::to_string(1000 + name), 1));
  cluster.settle();
  cluster.pass(second);
  REQUIRE(cluster.notices().size() == 1);
  CHECK(cluster.notices()[0].size() < 4000);
  CHECK(contains(cluster.notices()[0], " more"));
}

TEST_CASE("zero means never; the deadline is fatal at the root") {
  Cluster never(with_stalls({0, 0}, 0));
  never.request(0, allreduce("a", 1));
  never.settle();
  CHECK_FALSE(never.controller(0).next_timer());
  Cluster strict(with_stalls({0, 0}, 0, 5 * second));
  const Token token = strict.request(0, allreduce("a", 1));
  strict.settle();
  CHECK(strict.controller(0).next_timer() == 5 * second);
  strict.pass(5 * second);
  REQUIRE(strict.fatal(0));
  CHECK(strict.fatal(0)->code() == StatusCode::timed_out);
  CHECK(contains(strict.fatal(0)->message(), "'a'"));
  CHECK(strict.pending(0, token));
}

TEST_CASE("look-alikes") {
  CHECK(look_alike("weight", "wieght"));
  CHECK(look_alike("abc", "abd"));
  CHECK_FALSE(look_alike("abc", "abc"));
  CHECK_FALSE(look_alike("abc", "xyz"));
  CHECK_FALSE(look_alike("ab", "cd"));
  CHECK(look_alike("encoder/layer12/bias", "encoder/layer_12/bias"));
  CHECK(look_alike("a", ""));
  CHECK_FALSE(look_alike("conv1.weight", "norm7.bias"));
}
