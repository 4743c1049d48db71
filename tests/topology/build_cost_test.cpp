#include <doctest/doctest.h>

#include <cmath>

#include "build_graphs.h"
#include "topology/build/cost.h"

using namespace treering::topology;
using namespace treering::topology::test;

namespace {

CostConstants plain() { return {1e-6, 0, 1e18, 1e9, 1}; }

std::vector<Forest> all_forests(const LinkGraph& graph) {
  std::vector<Forest> forests;
  for (const Builder& builder : builders()) forests.push_back(build_forest(builder.name, graph));
  return forests;
}

}  // namespace

TEST_CASE("cost: an unpipelined ring takes 2(n-1)(hop + M/(n b))") {
  CostConstants constants = plain();
  constants.least_chunk_bytes = 1 << 30;
  const LinkGraph graph = cycle(8);
  const std::uint64_t bytes = 1 << 20;
  const Prediction ring = predict(graph, build_forest("ring", graph), bytes, constants);
  CHECK(ring.chunks == 1);
  CHECK(ring.seconds == doctest::Approx(14 * (1e-6 + static_cast<double>(bytes) / 8 / 1e9)));
}

TEST_CASE("cost: long messages run at the rate of the forest, short ones at its height") {
  const LinkGraph graph = dgx1v();
  for (const Forest& forest : all_forests(graph)) {
    const double huge = 1e12;
    const Prediction bulk = predict(graph, forest, static_cast<std::uint64_t>(huge), plain());
    CHECK(huge / bulk.seconds == doctest::Approx(forest.allreduce_rate.value() * 1e9).epsilon(0.01));
    CHECK(predict(graph, forest, 0, plain()).seconds == doctest::Approx(2e-6 * forest.height));
    double before = 0;
    for (std::uint64_t bytes = 1; bytes < 1u << 30; bytes *= 4) {
      const double seconds = predict(graph, forest, bytes, plain()).seconds;
      CHECK(seconds > before);
      before = seconds;
    }
  }
}

TEST_CASE("cost: never worse than the textbook pipeline (sqrt((2H-1) a) + sqrt(M l))^2 plus one hop") {
  const LinkGraph graph = dgx1v();
  CostConstants constants = plain();
  constants.launch_seconds = 1e-6;
  for (const Forest& forest : all_forests(graph)) {
    const double launches = instructions_per_chunk(forest) * constants.launch_seconds;
    const double alpha = constants.hop_seconds + launches, lambda = 1 / (forest.allreduce_rate.value() * 1e9);
    for (const double bytes : {1e6, 1e7, 1e8}) {
      const double book = std::pow(std::sqrt((2 * forest.height - 1) * alpha) + std::sqrt(bytes * lambda), 2);
      CHECK(predict(graph, forest, static_cast<std::uint64_t>(bytes), constants).seconds <= 1.05 * book + alpha);
    }
  }
}

TEST_CASE("cost: launches count, so that many trees lose on short messages") {
  const LinkGraph graph = dgx1v();
  const Forest ring = build_forest("ring", graph), packed = build_forest("packed", graph);
  CHECK(instructions_per_chunk(ring) > instructions_per_chunk(packed));
  CHECK(instructions_per_chunk(build_forest("chain", graph)) == 2);
  CostConstants constants = plain();
  const double before = predict(graph, packed, 1000, constants).seconds;
  constants.launch_seconds = 1e-5;
  CHECK(predict(graph, packed, 1000, constants).seconds ==
        doctest::Approx(before + 1e-5 * instructions_per_chunk(packed)));
  CHECK(choose(graph, {ring, packed, build_forest("chain", graph)}, 1000, constants).forest == 2);
}

TEST_CASE("cost: a slow reducer can be the limit") {
  CostConstants constants = plain();
  constants.reduce_bytes_per_second = 1e8;
  const LinkGraph graph = complete(4);
  const Prediction star = predict(graph, build_forest("star", graph), 1'000'000'000, constants);
  CHECK(star.reduction_bound);
  CHECK(star.bandwidth_seconds == doctest::Approx(1e9 * 0.75 / 1e8));  // each of 4 roots adds 3 quarters
}

TEST_CASE("cost: the choice follows the size and says why") {
  const LinkGraph graph = dgx1v();
  const std::vector<Forest> forests = all_forests(graph);
  const CostConstants constants = default_constants(Fabric::nvlink);
  const Choice large = choose(graph, forests, 1 << 28, constants);
  CHECK(forests[large.forest].allreduce_rate == Rational::of(24, 7));
  CHECK(large.why.find("bandwidth decides") != std::string::npos);
  CHECK(large.why.find("chain ") != std::string::npos);
  const Choice small = choose(graph, forests, 1024, constants);
  CHECK(small.why.find("latency decides") != std::string::npos);
  for (const Prediction& prediction : small.predictions)
    CHECK(prediction.seconds >= small.predictions[small.forest].seconds);
}

TEST_CASE("cost: unknown rates and missing links take forever, one member no time") {
  CostConstants constants = plain();
  constants.unit_bytes_per_second = 0;
  CHECK(std::isinf(predict(complete(3), build_forest("star", complete(3)), 1000, constants).seconds));
  LinkGraph apart(3, 3);
  CHECK(std::isinf(predict(apart, build_forest("star", apart), 1000, plain()).seconds));
  CHECK(predict(LinkGraph(1, 1), build_forest("star", LinkGraph(1, 1)), 1000, plain()).seconds == 0);
}
