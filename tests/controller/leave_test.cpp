#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "tests/controller/cluster.h"

using namespace treering;
using namespace treering::controller;
using namespace treering::controller::test;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a rank that leaves is named in every request that needed it, its own say so") {
  Cluster cluster(Cluster::flat(3));
  cluster.request_everywhere(allreduce("a", 4));
  cluster.settle();
  const Token own = cluster.request(1, allreduce("b", 4));
  const Token other = cluster.request(2, allreduce("a", 4));
  const Token queued = cluster.request(2, allreduce("a", 4));
  cluster.settle();
  cluster.leave(1);
  cluster.settle();
  CHECK(cluster.code(1, own) == StatusCode::shut_down);
  CHECK(cluster.message(1, own) ==
        "tensor 'b': the engine was shut down with this request pending: not requested by ranks 0, 2; wait for its "
        "handle before shutdown");
  for (const Token token : {other, queued}) {
    CHECK(cluster.code(2, token) == StatusCode::rank_left);
    CHECK(contains(cluster.message(2, token), "rank 1"));
    CHECK(contains(cluster.message(2, token), "tensor 'a'"));
    CHECK(contains(cluster.message(2, token), "not requested by ranks 0, 1"));
  }
  const Token later = cluster.request(0, allreduce("c", 4));
  cluster.settle();
  CHECK(cluster.code(0, later) == StatusCode::rank_left);
  CHECK(contains(cluster.message(0, later), "rank 1"));
  CHECK_FALSE(cluster.ended(0));
  cluster.leave(0);
  cluster.leave(2);
  cluster.settle();
  for (int rank = 0; rank < 3; ++rank) {
    CHECK(cluster.ended(rank));
    CHECK(cluster.left(rank) == cluster.left(0));
    CHECK(cluster.left(rank).size() == 3);
  }
  cluster.check_endings();
}

TEST_CASE("what was ready before a farewell is delivered before it, also in pieces") {
  Cluster::Options options = Cluster::flat(2);
  options.execute = false;
  options.tunables.piece_limit = 64;
  options.tunables.window = 64;
  options.tunables.batch_limit = 16;
  Cluster cluster(options);
  const auto big = cluster.request_everywhere(allreduce("big", 64));  // four pieces
  const auto small = cluster.request_everywhere(allreduce("other", 32));
  cluster.leave(1);
  cluster.settle();
  CHECK(cluster.left(0).empty());
  for (int i = 0; i < 6; ++i) {
    cluster.execute(64);
    cluster.settle();
  }
  for (int rank = 0; rank < 2; ++rank) {
    CHECK(cluster.succeeded(rank, big[static_cast<std::size_t>(rank)]));
    CHECK(cluster.succeeded(rank, small[static_cast<std::size_t>(rank)]));
    CHECK(cluster.left(rank) == std::vector{1});
  }
}

TEST_CASE("a request after the own farewell fails at once") {
  Cluster cluster(Cluster::flat(2));
  cluster.leave(0);
  const Token token = cluster.request(0, allreduce("a", 1));
  cluster.settle();
  CHECK(cluster.code(0, token) == StatusCode::shut_down);
}

TEST_CASE("farewells in every order with requests pending end everything once, everywhere") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Cluster::Options options = Cluster::flat(5, seed, seed % 3 * 4);
    if (seed % 2 == 0) options.node_of = {0, 1, 2, 0, 1};
    options.definitions = 1 + seed % 3;
    options.tunables.fanout = 1;
    Cluster cluster(options);
    for (int step = 0; step < 60; ++step) {
      const int rank = static_cast<int>(random() % 5);
      cluster.request(rank,
                      allreduce("t" + std::to_string(random() % 4), 1 + static_cast<std::int64_t>(random() % 8 == 0)));
      if (random() % 2 == 0) cluster.turn();
    }
    std::vector<int> order(5);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (const int rank : order) {
      CHECK_FALSE(cluster.ended(0));
      cluster.leave(rank);
      for (std::uint64_t turns = random() % 20; turns > 0; --turns) cluster.turn();
      cluster.request(static_cast<int>(random() % 5), allreduce("late", 1));
    }
    cluster.settle();
    cluster.check_endings();
    for (int rank = 0; rank < 5; ++rank) {
      CHECK(cluster.ended(rank));
      CHECK(cluster.left(rank) == cluster.left(0));
    }
  }
}
