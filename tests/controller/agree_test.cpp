#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "tests/controller/cluster.h"

using namespace treering;
using namespace treering::controller;
using namespace treering::controller::test;

namespace {

const std::vector<std::vector<int>>& shapes() {
  static const std::vector<std::vector<int>> all = {{0},       {0, 0},       {0, 1},          {0, 0, 0},
                                                    {0, 1, 2}, {0, 1, 0, 1}, {0, 0, 1, 1, 2}, {0, 0, 0, 0, 0, 1, 1, 2}};
  return all;
}

std::vector<int> blocks(int nodes, int per_node) {
  std::vector<int> node_of;
  for (int node = 0; node < nodes; ++node) node_of.insert(node_of.end(), static_cast<std::size_t>(per_node), node);
  return node_of;
}

Cluster::Options over(std::vector<int> node_of, std::uint64_t seed, std::uint64_t delay) {
  Cluster::Options options;
  options.node_of = std::move(node_of);
  options.seed = seed;
  options.longest_delay = delay;
  options.tunables.fanout = 2;
  return options;
}

// The k-th request of a name: its size tells k apart, and changes now and then.
Request nth(int name, int k) {
  return allreduce("tensor/" + std::to_string(name), 1 + name * 1000 + (k / 2) % 3,
                   name % 3 ? DataType::f32 : DataType::i64);
}

void run_shuffled(Cluster& cluster, int names, int steps, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::vector<Token>>> tokens(static_cast<std::size_t>(cluster.size()));  // rank, name, k
  for (auto& rank : tokens) rank.resize(static_cast<std::size_t>(names));
  for (int step = 0; step < steps; ++step) {
    std::vector<std::vector<int>> orders(tokens.size(), std::vector<int>(static_cast<std::size_t>(names)));
    for (auto& order : orders) {
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(names); ++i) {
      for (std::size_t rank = 0; rank < tokens.size(); ++rank) {
        const int name = orders[rank][i];
        tokens[rank][static_cast<std::size_t>(name)].push_back(
            cluster.request(static_cast<int>(rank), nth(name, step)));
      }
      if (random() % 3 == 0) cluster.turn();
    }
  }
  cluster.settle();
  cluster.check_endings();
  for (std::size_t name = 0; name < static_cast<std::size_t>(names); ++name) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(steps); ++k) {
      const auto& first = cluster.outcome(0, tokens[0][name][k]);
      if (!first.failures.empty()) FAIL(first.failures.front().message());
      REQUIRE(first.complete);
      for (std::size_t rank = 1; rank < tokens.size(); ++rank) {
        const auto& other = cluster.outcome(static_cast<int>(rank), tokens[rank][name][k]);
        CHECK(other.deliveries.size() == 1);
        CHECK(other.deliveries.back().round == first.deliveries.back().round);
        CHECK(other.deliveries.back().item == first.deliveries.back().item);
      }
    }
  }
}

}  // namespace

TEST_CASE("a request of every rank is delivered once, in the same place, on every shape") {
  for (const std::vector<int>& shape : shapes()) {
    CAPTURE(shape.size());
    Cluster cluster(over(shape, 7, 0));
    for (int repeat = 0; repeat < 3; ++repeat) {
      const auto tokens = cluster.request_everywhere(allreduce("a", 5));
      cluster.settle();
      for (int rank = 0; rank < cluster.size(); ++rank)
        CHECK(cluster.succeeded(rank, tokens[static_cast<std::size_t>(rank)]));
    }
    CHECK(cluster.rounds(0).size() == 3);
    CHECK(cluster.rounds(0)[0].items[0].definition == cluster.rounds(0)[2].items[0].definition);
    cluster.check_endings();
  }
}

TEST_CASE("nothing is delivered before the last rank asks") {
  Cluster cluster(over({0, 0, 1, 1}, 3, 0));
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (int rank = 3; rank >= 0; --rank) {
      cluster.request(rank, barrier("b"));
      cluster.settle();
      CHECK(cluster.rounds(0).size() == static_cast<std::size_t>(repeat + (rank == 0 ? 1 : 0)));
    }
  }
  cluster.check_endings();
}

TEST_CASE("shuffled arrival of changing signatures: every k-th request meets every other k-th") {
  std::uint64_t seed = 1;
  for (const std::vector<int>& shape : shapes()) {
    for (const std::uint64_t delay : {std::uint64_t{0}, std::uint64_t{7}}) {
      for (const std::size_t definitions : {std::size_t{16 * 1024}, std::size_t{3}}) {
        Cluster::Options options = over(shape, ++seed, delay);
        options.definitions = definitions;
        CAPTURE(seed);
        Cluster cluster(options);
        run_shuffled(cluster, 20, 7, seed);
      }
    }
  }
}

TEST_CASE("two hundred tensors, many steps, 8 ranks on 3 nodes") {
  Cluster cluster(over({0, 0, 0, 0, 0, 1, 1, 2}, 99, 3));
  run_shuffled(cluster, 200, 8, 99);
}

TEST_CASE("64 ranks on 8 nodes; 100 ranks on one; 1024 ranks on 128 nodes") {
  Cluster middle(over(blocks(8, 8), 5, 3));
  run_shuffled(middle, 12, 5, 5);
  Cluster wide(over(blocks(1, 100), 6, 3));
  run_shuffled(wide, 4, 5, 6);
  Cluster large(over(blocks(128, 8), 7, 0));
  run_shuffled(large, 3, 4, 7);
}

TEST_CASE("a steady turn costs about a byte for each id") {
  Cluster cluster(over({0, 1}, 1, 0));
  constexpr int names = 1000;
  std::uint64_t before = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    before = cluster.bytes_sent();
    for (int name = 0; name < names; ++name) cluster.request_everywhere(allreduce("n" + std::to_string(name), 4));
    cluster.settle();
  }
  CHECK(cluster.bytes_sent() - before < 2 * names + 100);
  cluster.check_endings();
}
