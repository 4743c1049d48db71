// Main of tests that run under mpiexec: starts MPI with MPI_THREAD_MULTIPLE, runs the same test cases on every rank,
// prints rank 0's details and the failures of the others with their rank in front, and fails everywhere if any rank
// did.
//
//   --ranks=N           fail unless there are exactly N ranks
//   --watchdog=SECONDS  after so long, every rank names the test case it hangs in
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <mpi.h>

#include <cstdio>
#include <ostream>
#include <string>

#include "tests/listener.h"
#include "tests/mpi/agreement.h"
#include "tests/watchdog.h"

namespace treering::testing {
namespace {

/// Where the listener, which doctest constructs, finds the agreement that main has made.
Agreement*& agreement() {
  static Agreement* instance = nullptr;
  return instance;
}

class MeetAfterTestCases : public Listener {
 public:
  using Listener::Listener;
  void test_case_start(const doctest::TestCaseData& test) override { name_ = test.m_name; }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    if (agreement() != nullptr) agreement()->meet(name_, !stats.testCaseSuccess);
  }

 private:
  const char* name_ = "";
};
REGISTER_LISTENER("meet_after_test_cases", 1, MeetAfterTestCases);

int run(int argc, char** argv, int rank, int size) {
  const int wanted = argument(argc, argv, "--ranks=", size);
  if (wanted != size) {
    std::fprintf(stderr, "this test needs %d ranks and was started with %d\n", wanted, size);
    return 1;
  }
  start_watchdog(std::chrono::seconds(argument(argc, argv, "--watchdog=", 0)), "rank " + std::to_string(rank));
  Captured captured;
  std::ostream captured_stream(&captured);
  Agreement ranks(MPI_COMM_WORLD, rank == 0 ? nullptr : &captured);
  const Dumper dumper = on_watchdog([&captured] { return captured.text(); });
  agreement() = &ranks;

  doctest::Context context(argc, argv);
  if (rank != 0) context.setCout(&captured_stream);
  const int result = ranks.conclude(context.run());
  agreement() = nullptr;
  return result;
}

}  // namespace
}  // namespace treering::testing

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int result = 1;
  if (level == MPI_THREAD_MULTIPLE)
    result = treering::testing::run(argc, argv, rank, size);
  else
    std::fprintf(stderr, "MPI_THREAD_MULTIPLE is refused: level %d\n", level);
  MPI_Finalize();
  treering::testing::stop_watchdog();
  return result;
}
