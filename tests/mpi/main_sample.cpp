// Shows that test cases under mpiexec run on all ranks together. The cases marked skip() fail or hang on purpose:
// main_test.py runs them one by one and looks at what the test main makes of it.
#include <doctest/doctest.h>
#include <mpi.h>

#include <future>
#include <stdexcept>
#include <string>

#include "tests/watchdog.h"

namespace {

int rank() {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

}  // namespace

TEST_CASE("main: ranks differ and reach each other") {
  const int mine = 1 << rank();
  int sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == (1 << size()) - 1);
}

TEST_CASE("purpose: check fails on rank 1" * doctest::skip()) { CHECK(rank() != 1); }

TEST_CASE("purpose: exception on the last rank" * doctest::skip()) {
  if (rank() == size() - 1) throw std::runtime_error("thrown on purpose");
}

TEST_CASE("purpose: require fails on rank 1, others in a barrier" * doctest::skip()) {
  REQUIRE(rank() != 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("purpose: rank 1 hangs" * doctest::skip()) {
  const auto dumper = treering::testing::on_watchdog([] { return "dump of rank " + std::to_string(rank()); });
  std::promise<void> never;
  if (rank() == 1) never.get_future().wait();
}
