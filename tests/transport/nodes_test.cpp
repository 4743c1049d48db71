#include "transport/mpi/nodes.h"

#include <doctest/doctest.h>

#include "transport/world.h"
#include "treering/status.h"

using namespace treering;
using namespace treering::transport;
using mpi::nodes_of;
using mpi::Place;

namespace {

std::vector<int> numbered(const std::vector<int>& labels) {
  return make_world(0, labels, std::vector<std::string>(labels.size())).node_of;
}

}  // namespace

TEST_CASE("ranks are of one node if MPI and the host names say so") {
  const auto nodes = nodes_of({{0, "a"}, {1, "b"}, {0, "a"}, {1, "b"}}, {});
  CHECK(numbered(nodes.labels) == std::vector{0, 1, 0, 1});
  CHECK(nodes.warning.empty());
}

TEST_CASE("hosts that MPI joins although their names differ are kept apart, with a warning that names them") {
  const auto nodes = nodes_of({{0, "a"}, {0, "a"}, {0, "b"}, {0, "b"}}, {});
  CHECK(numbered(nodes.labels) == std::vector{0, 0, 1, 1});
  CHECK(nodes.warning.find("hosts a and b") != std::string::npos);
}

TEST_CASE("hosts of the same name that MPI keeps apart stay apart") {
  const auto nodes = nodes_of({{0, "localhost"}, {1, "localhost"}}, {});
  CHECK(numbered(nodes.labels) == std::vector{0, 1});
  CHECK(nodes.warning.empty());
}

TEST_CASE("a map splits machines, in any pattern") {
  const std::vector<Place> one(4, Place{0, "a"});
  CHECK(numbered(nodes_of(one, {9, 3, 9, 3}).labels) == std::vector{0, 1, 0, 1});
  const std::vector<Place> two{{0, "a"}, {0, "a"}, {2, "b"}, {2, "b"}};
  CHECK(numbered(nodes_of(two, {0, 1, 2, 2}).labels) == std::vector{0, 1, 2, 2});
}

TEST_CASE("a map that joins machines is refused and names ranks and hosts") {
  const std::vector<Place> two{{0, "a"}, {1, "b"}, {0, "a"}};
  CHECK_THROWS_WITH_AS(nodes_of(two, {5, 5, 5}), doctest::Contains("ranks 0 (host a) and 1 (host b) on node 5"), Error);
  CHECK_THROWS_WITH_AS(nodes_of(two, {0, 1}), doctest::Contains("for 2 ranks, but the job has 3"), Error);
}
