// The conformance of the MPI fabric, and what happens to it when ranks die, refuse or never come.
//   mpiexec -n N transport_mpi SCENARIO [--map 0,1,..] [--no-knocks] [--no-shm] [--refuse-segment R] [--refuse-heap R]
//                              [--refuse-sockets R] [--hand-overs N] [--victim R]
// Exits with 0 if all is well on every rank. Scenarios in which ranks die cannot agree: there, survivors print a line
// that says so and tests/mpi/expect.sh counts them.

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "base/log.h"
#include "tests/transport/conformance.h"
#include "transport/mpi/start.h"

using namespace treering;
using namespace treering::transport;
using conformance::Problems;

namespace {

constexpr std::size_t area_bytes = 10'000;

std::string report_file = "/dev/stdout";

struct Arguments {
  FabricOptions options;
  int hand_overs = 2'000;
  int victim = 0;
  std::vector<int> expected_nodes;
};

std::vector<int> numbers_in(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream stream(text);
  for (std::string number; std::getline(stream, number, ',');) numbers.push_back(std::stoi(number));
  return numbers;
}

Arguments parse(int count, char** values) {
  Arguments arguments;
  FabricOptions& options = arguments.options;
  options.area_bytes = area_bytes;
  options.heap_bytes = std::size_t{64} << 30;
  options.neighbours = conformance::chain_of_leaders;
  options.start_timeout = std::chrono::seconds(60);
  for (int index = 2; index < count; ++index) {
    const std::string flag = values[index];
    if (flag == "--no-knocks") {
      options.knocks = false;
    } else if (flag == "--report") {
      report_file = values[++index];
    } else if (flag == "--no-shm") {
      options.shared_memory = false;
    } else {
      const std::vector<int> numbers = numbers_in(values[++index]);
      if (flag == "--map") options.node_map = numbers;
      if (flag == "--expect-nodes") arguments.expected_nodes = numbers;
      if (flag == "--refuse-segment") options.refuse.segments = numbers;
      if (flag == "--refuse-heap") options.refuse.heaps = numbers;
      if (flag == "--refuse-sockets") options.refuse.sockets = numbers;
      if (flag == "--hand-overs") arguments.hand_overs = numbers[0];
      if (flag == "--victim") arguments.victim = numbers[0];
      if (flag == "--start-timeout") options.start_timeout = std::chrono::milliseconds(numbers[0]);
    }
  }
  return arguments;
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void append(Problems& problems, const Problems& more) { problems.insert(problems.end(), more.begin(), more.end()); }

std::unique_ptr<Fabric> start(const Arguments& arguments, const MPI_Comm* communicator = nullptr) {
  const Log log(LogLevel::warning, 0);
  return mpi::start(arguments.options, communicator, log);
}

/// The whole conformance, on an MPI that the fabric initialises.
Problems conform(const Arguments& given) {
  Arguments arguments = given;
  arguments.options.settings = Bytes(3, static_cast<std::byte>(::getpid()));  // differs between ranks
  arguments.options.area_bytes = 1;
  arguments.options.tailor = [](FabricOptions& options, const World&, const Bytes& root_settings) {
    if (root_settings.size() == 3) options.area_bytes = area_bytes;
  };
  const std::unique_ptr<Fabric> fabric = start(arguments);
  Problems problems;
  if (!arguments.expected_nodes.empty() && fabric->world().node_of != arguments.expected_nodes)
    problems.push_back("the nodes are not the expected ones");
  const std::vector<Bytes> settings = fabric->gather_all(arguments.options.settings);
  if (fabric->root_settings() != settings[0]) problems.push_back("the settings are not rank 0's");
  const NodeLink& node = fabric->node();
  for (int member = 0; member < node.size(); ++member) {
    const std::vector<int>& refused = arguments.options.refuse.heaps;
    const int rank = fabric->world().ranks_of(fabric->world().node())[static_cast<std::size_t>(member)];
    const bool missing = std::find(refused.begin(), refused.end(), rank) != refused.end();
    if ((node.heap(member) == nullptr) != missing) problems.push_back("the wrong heaps are there");
  }
  append(problems, conformance::everything(*fabric, area_bytes, arguments.hand_overs));
  append(problems, conformance::stopping(*fabric));
  return problems;
}

/// Two fabrics side by side and one after the other, on communicators of the user, with user traffic in between.
Problems twice(const Arguments& arguments) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rank = world_rank();
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
  Problems problems;
  const int place = size - 1 - rank;
  int from_left = -1;
  MPI_Request incoming = MPI_REQUEST_NULL;
  MPI_Irecv(&from_left, 1, MPI_INT, (place + size - 1) % size, 0, reversed, &incoming);
  for (int turn = 0; turn < 3; ++turn) {
    const std::unique_ptr<Fabric> first = start(arguments);
    const std::unique_ptr<Fabric> second = start(arguments, &reversed);
    if (first->world().rank != rank || second->world().rank != place) problems.push_back("wrong ranks");
    append(problems, conformance::everything(*first, area_bytes, 200));
    append(problems, conformance::everything(*second, area_bytes, 200));
    append(problems, conformance::stopping(*second));
    append(problems, conformance::messages(*first));
    append(problems, conformance::stopping(*first));
  }
  MPI_Send(&place, 1, MPI_INT, (place + 1) % size, 0, reversed);
  MPI_Wait(&incoming, MPI_STATUS_IGNORE);
  if (from_left != (place + size - 1) % size) problems.push_back("user traffic was disturbed");
  MPI_Comm_free(&reversed);
  return problems;
}

/// The user finalizes MPI while the fabric stands.
Problems finalize_first(const Arguments& arguments) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  const std::unique_ptr<Fabric> fabric = start(arguments);
  Problems problems = conformance::messages(*fabric);
  bool called = false;
  fabric->on_finalize([&] {
    called = true;
    append(problems, conformance::stopping(*fabric));
  });
  MPI_Finalize();
  if (!called) problems.push_back("the hook was not called");
  fabric->progress();
  if (!fabric->poisoned().ok()) problems.push_back("an agreed end was taken for a failure");
  return problems;
}

/// A thread level that is too low.
Problems funneled(const Arguments& arguments) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  try {
    start(arguments);
  } catch (const Error& error) {
    if (std::string(error.what()).find("MPI_THREAD_FUNNELED") != std::string::npos) return {};
    return {error.what()};
  }
  return {"a low thread level was accepted"};
}

/// Options that every rank must refuse alike.
Problems refused(const Arguments& arguments) {
  Arguments wrong = arguments;
  wrong.options.node_map = {0, 0, 0, 0, 0, 0, 0};
  Problems problems;
  const auto expect = [&](const Arguments& each, const std::string& words) {
    try {
      start(each);
      problems.push_back("accepted although " + words);
    } catch (const Error& error) {
      if (std::string(error.what()).find(words) == std::string::npos) problems.push_back(error.what());
    }
  };
  expect(wrong, "names a node for 7 ranks");
  wrong = arguments;
  wrong.options.area_bytes = static_cast<std::size_t>(4096 * (1 + world_rank()));
  expect(wrong, "disagree about the size of their lanes");
  wrong = arguments;
  wrong.options.knocks = world_rank() == 0;
  expect(wrong, "different settings");
  return problems;
}

/// Not on stdout only: the launcher may be gone already.
[[noreturn]] void report_survivor(const Status& cause) {
  const std::string line = "survivor learnt: " + cause.message() + "\n";
  const int fd = ::open(report_file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0 || ::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size())) ::_exit(4);
  ::_exit(0);
}

/// One rank is killed; all others must learn it.
Problems killed(const Arguments& arguments) {
  const std::unique_ptr<Fabric> fabric = start(arguments);
  conformance::messages(*fabric);
  if (fabric->world().rank == arguments.victim) ::raise(SIGKILL);
  const Status cause = conformance::drive_until_poisoned(*fabric);
  fabric->declare_stopped();
  const RealClock clock;
  const Nanoseconds deadline = clock.now() + 20'000'000'000;
  while (!fabric->node_stopped() && clock.now() < deadline) fabric->sleep(1'000'000);
  if (!fabric->node_stopped()) return {"the node does not end"};
  report_survivor(cause);
}

/// One rank poisons and exits at once.
Problems poisoned(const Arguments& arguments) {
  const std::unique_ptr<Fabric> fabric = start(arguments);
  conformance::messages(*fabric);
  if (fabric->world().rank == arguments.victim) {
    fabric->poison(Status(StatusCode::internal, "poisoned by rank " + std::to_string(arguments.victim)));
    ::_exit(3);
  }
  report_survivor(conformance::drive_until_poisoned(*fabric));
}

/// One rank stops without ending; its node kills it.
Problems stopped(const Arguments& arguments) {
  const std::unique_ptr<Fabric> fabric = start(arguments);
  conformance::messages(*fabric);
  if (fabric->world().rank == arguments.victim) ::raise(SIGSTOP);
  fabric->poison(Status(StatusCode::internal, "on purpose"));
  fabric->declare_stopped();
  const RealClock clock;
  const Nanoseconds patience = clock.now() + 500'000'000;
  while (clock.now() < patience) fabric->sleep(10'000'000);
  const bool before = fabric->node_stopped();
  const std::vector<int> killed = fabric->kill_unstopped();
  const Nanoseconds deadline = clock.now() + 20'000'000'000;
  while (!fabric->node_stopped() && clock.now() < deadline) fabric->sleep(1'000'000);
  if (before || !fabric->node_stopped()) return {"the stopped rank does not count as such"};
  report_survivor(Status(StatusCode::internal, "somebody was killed: " + std::to_string(killed.size())));
}

/// One rank never starts.
Problems missing(const Arguments& arguments) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  if (world_rank() == arguments.victim)
    for (;;) ::pause();
  start(arguments);
  return {"start came back although a rank was missing"};
}

/// CPU time of an idle fabric, asleep for a second.
Problems idle(const Arguments& arguments) {
  const std::unique_ptr<Fabric> fabric = start(arguments);
  Problems problems = conformance::messages(*fabric);
  const RealClock clock;
  const std::clock_t before = std::clock();
  const Nanoseconds until = clock.now() + 1'000'000'000;
  int wakes = 0;
  while (clock.now() < until) {
    fabric->progress();
    fabric->bell().declare_asleep();
    fabric->sleep(std::min(fabric->longest_sleep().value_or(until), until - clock.now()));
    fabric->bell().declare_awake();
    ++wakes;
  }
  const double cpu = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  std::printf("idle second: %d wakes, %.4f s of CPU\n", wakes, cpu);
  if (fabric->longest_sleep()) problems.push_back("an idle fabric wants to be polled");
  if (cpu > 0.05) problems.push_back("an idle fabric burns CPU");
  append(problems, conformance::stopping(*fabric));
  return problems;
}

const std::map<std::string, std::function<Problems(const Arguments&)>> scenarios = {
    {"conform", conform},   {"twice", twice},     {"finalize-first", finalize_first},
    {"funneled", funneled}, {"refused", refused}, {"killed", killed},
    {"poisoned", poisoned}, {"stopped", stopped}, {"missing", missing},
    {"idle", idle},
};

bool mpi_works() {
  int initialised = 0;
  int finalized = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalized);
  return initialised != 0 && finalized == 0;
}

bool user_owns_mpi(const std::string& scenario) { return scenario == "twice" || scenario == "funneled"; }

}  // namespace

int main(int count, char** values) {
  const auto scenario = scenarios.find(count > 1 ? values[1] : "");
  if (scenario == scenarios.end()) return 2;
  Problems problems;
  try {
    problems = scenario->second(parse(count, values));
  } catch (const std::exception& error) {
    problems.push_back(std::string("exception: ") + error.what());
  }
  int bad = problems.empty() ? 0 : 1;
  const int rank = mpi_works() ? world_rank() : -1;
  for (const std::string& problem : problems) std::fprintf(stderr, "rank %d: %s\n", rank, problem.c_str());
  if (mpi_works()) MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (mpi_works() && user_owns_mpi(scenario->first)) MPI_Finalize();
  return bad;
}
