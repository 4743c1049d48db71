#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>

#include "tests/bodies/timeline.h"
#include "tests/mpi/job.h"

using namespace treering;
using namespace treering::test;

TEST_CASE("mpi timeline: switched on and off at random by every rank under traffic") {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string name = "treering-timeline-" + std::to_string(::getpid());
  const auto directory = std::filesystem::temp_directory_path() / name;  // each rank its own
  on_engine(small_config(), [&](Engine& engine) { timeline_switching(engine, directory.string(), 100); });
  const auto json = directory / ("rank-" + std::to_string(rank) + ".json");
  CHECK(std::filesystem::exists(json) == std::filesystem::exists(directory));
  std::filesystem::remove_all(directory);
}
