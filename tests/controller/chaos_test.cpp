#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/controller/cluster.h"

using namespace treering;
using namespace treering::controller;
using namespace treering::controller::test;

namespace {

Cluster::Options over(std::vector<int> node_of, std::uint64_t seed, std::size_t definitions) {
  Cluster::Options options;
  options.node_of = std::move(node_of);
  options.seed = seed;
  options.longest_delay = seed % 3 == 0 ? 0 : 1 + seed % 11;
  options.definitions = definitions;
  options.tunables.fanout = 2;
  return options;
}

Cluster::Options any_shape(std::uint64_t seed) {
  static const std::vector<std::vector<int>> shapes = {
      {0, 0}, {0, 0, 0}, {0, 1, 2}, {0, 1, 0, 1}, {0, 0, 1, 1, 2}, {0, 0, 0, 0, 0, 1, 1, 2}, {0, 1, 2, 3, 4, 5, 6}};
  return over(shapes[seed % shapes.size()], seed, seed % 2 == 0 ? 16 * 1024 : 1 + seed % 4);
}

// Every rank makes its requests of `names` names in an order of its own, `depth` of each name. Which rank deviates at
// which place is drawn beforehand, so the outcome of every place is known: it works if and only if all are equal.
struct Script {
  int names;
  int depth;
  std::vector<std::vector<std::vector<Request>>> requests;  // rank, name, k

  Script(int ranks, int name_count, int how_deep, int one_in, std::mt19937_64& random)
      : names(name_count), depth(how_deep), requests(static_cast<std::size_t>(ranks)) {
    for (auto& rank : requests) rank.resize(static_cast<std::size_t>(names));
    for (std::size_t name = 0; name < static_cast<std::size_t>(names); ++name) {
      std::int64_t count = 1;
      for (int k = 0; k < depth; ++k) {
        if (random() % 4 == 0) count = 1 + static_cast<std::int64_t>(random() % 3);
        for (auto& rank : requests) {
          const std::int64_t mine = random() % static_cast<std::uint64_t>(one_in) == 0 ? count + 1 : count;
          rank[name].push_back(allreduce("t" + std::to_string(name), mine));
        }
      }
    }
  }

  bool works(std::size_t name, std::size_t k) const {
    return std::all_of(requests.begin(), requests.end(),
                       [&](const auto& rank) { return rank[name][k] == requests.front()[name][k]; });
  }
};

void run(Cluster& cluster, const Script& script, std::mt19937_64& random) {
  const auto ranks = static_cast<std::size_t>(cluster.size());
  std::vector<std::vector<std::size_t>> plans(ranks);  // names in the order of the requests
  for (auto& plan : plans) {
    for (int name = 0; name < script.names; ++name)
      plan.insert(plan.end(), static_cast<std::size_t>(script.depth), static_cast<std::size_t>(name));
    std::shuffle(plan.begin(), plan.end(), random);
  }
  std::vector<std::vector<std::vector<Token>>> tokens(ranks);
  for (auto& rank : tokens) rank.resize(static_cast<std::size_t>(script.names));
  std::vector<std::size_t> next(ranks, 0);
  for (std::size_t left = ranks * plans.front().size(); left > 0;) {
    const std::size_t rank = random() % ranks;
    for (std::uint64_t burst = random() % 6; burst > 0 && next[rank] < plans[rank].size(); --burst, --left) {
      const std::size_t name = plans[rank][next[rank]++];
      auto& mine = tokens[rank][name];
      mine.push_back(cluster.request(static_cast<int>(rank), script.requests[rank][name][mine.size()]));
    }
    if (random() % 3 == 0) cluster.turn();
  }
  cluster.settle();
  cluster.check_endings();
  for (std::size_t name = 0; name < static_cast<std::size_t>(script.names); ++name)
    for (std::size_t k = 0; k < static_cast<std::size_t>(script.depth); ++k)
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const bool worked = cluster.succeeded(static_cast<int>(rank), tokens[rank][name][k]);
        if (worked != script.works(name, k))
          FAIL_CHECK("rank " << rank << ", name " << name << ", place " << k << ": "
                             << cluster.message(static_cast<int>(rank), tokens[rank][name][k]));
      }
}

// A program of bundles over few names, with slips: a bundle in other order, of other make-up, of another size.
Request random_bundle(std::mt19937_64& random) {
  static const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  std::vector<std::string> chosen = names;
  std::shuffle(chosen.begin(), chosen.end(), random);
  chosen.resize(1 + random() % 3);
  return bundle(chosen, 1 + static_cast<std::int64_t>(random() % 2));
}

using Places = std::map<std::pair<std::string, std::size_t>, std::vector<Token>>;  // (name, k): tokens by rank

void check_places(const Cluster& cluster, const Places& places) {
  for (const auto& [place, tokens] : places) {
    const bool whole = tokens.size() == static_cast<std::size_t>(cluster.size());
    for (std::size_t rank = 0; rank < tokens.size(); ++rank) {
      const auto& mine = cluster.outcome(static_cast<int>(rank), tokens[rank]);
      const auto& first = cluster.outcome(0, tokens[0]);
      CAPTURE(place.first);
      CAPTURE(place.second);
      if (mine.complete) {
        CHECK(whole);
        CHECK(first.complete);
        CHECK(first.request == mine.request);
        CHECK(first.deliveries.back().round == mine.deliveries.back().round);
      } else {
        CHECK_FALSE(first.complete);
      }
    }
  }
}

}  // namespace

TEST_CASE("a place in the queue of a name works if and only if all ranks agree about it") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Cluster cluster(any_shape(seed));
    const Script script(cluster.size(), 1 + static_cast<int>(random() % 8), 8, seed % 2 == 0 ? 20 : 5, random);
    run(cluster, script, random);
  }
}

TEST_CASE("definitions that come and go under load lose nothing") {
  for (std::size_t definitions = 1; definitions <= 4; ++definitions) {
    for (std::uint64_t seed = 1; seed <= 14; ++seed) {
      CAPTURE(definitions);
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      Cluster::Options options = any_shape(seed);
      options.definitions = definitions;
      Cluster cluster(options);
      const Script script(cluster.size(), 12, 10, 1'000'000, random);
      run(cluster, script, random);
    }
  }
}

TEST_CASE("beyond its capacity the root retires, and what comes back is defined anew") {
  for (const std::size_t definitions : {std::size_t{1}, std::size_t{2}}) {
    Cluster cluster(over({0, 1, 0}, 1, definitions));
    for (const char* name : {"a", "b", "a"}) {
      cluster.request_everywhere(allreduce(name, 4));
      cluster.settle();
    }
    const auto id = [&](std::size_t round) { return cluster.rounds(2)[round].items[0].definition->id; };
    REQUIRE(cluster.rounds(2).size() == 3);
    CHECK((id(0) == id(2)) == (definitions == 2));
  }
}

TEST_CASE("bundles with slips: what works, works on all ranks with equal requests; all ends when all leave") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Cluster cluster(any_shape(seed));
    const auto ranks = static_cast<std::size_t>(cluster.size());
    std::vector<std::vector<Request>> programs(ranks);
    for (int step = 0; step < 24; ++step) {
      const Request planned = random_bundle(random);
      for (auto& program : programs) program.push_back(random() % 12 == 0 ? random_bundle(random) : planned);
    }
    Places places;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::map<std::string, std::size_t> counts;
      for (const Request& request : programs[rank]) {
        const Token token = cluster.request(static_cast<int>(rank), request);
        for (const TensorSpec& tensor : request.tensors) {
          std::vector<Token>& tokens = places[{tensor.name, counts[tensor.name]++}];
          if (tokens.size() == rank) tokens.push_back(token);
        }
        if (random() % 2 == 0) cluster.turn();
      }
    }
    cluster.settle();
    cluster.leave_everywhere();
    cluster.settle();
    cluster.check_endings();
    check_places(cluster, places);
    for (std::size_t rank = 0; rank < ranks; ++rank) CHECK(cluster.ended(static_cast<int>(rank)));
  }
}
