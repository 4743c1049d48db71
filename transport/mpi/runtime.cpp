#include "transport/mpi/runtime.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "transport/mpi/errors.h"

namespace treering::transport::mpi {

namespace {

constexpr std::chrono::seconds finalize_timeout{5};

struct Process {
  std::mutex mutex;
  std::atomic<bool> initialised_here{false};
  std::atomic<int> fabrics{0};
  std::atomic<bool> several_hosts{false};
};

/// The only state of the process: MPI can be initialised and finalized once in its life, whatever engines come and go.
Process& process() {
  static Process& instance = *new Process;  // outlives every static destructor
  return instance;
}

/// MPICH's MPI_Finalize over TCP may hang (docs/gotchas.md). On several hosts it is therefore left out, which hydra
/// accepts; elsewhere it gets a bounded time, after which the process ends with the status it wanted to end with.
void finalize_at_exit(int exit_status, void*) {
  if (process().fabrics.load() != 0 || process().several_hosts.load() || !usable()) return;
  std::promise<void> finished;
  std::future<void> done = finished.get_future();
  std::thread([&finished] {
    MPI_Finalize();
    finished.set_value();
  }).detach();
  if (done.wait_for(finalize_timeout) == std::future_status::ready) return;
  std::fflush(nullptr);
  ::_exit(exit_status);
}

const char* name_of_level(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    default: return "MPI_THREAD_MULTIPLE";
  }
}

void initialise() {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  process().initialised_here.store(true);
  ::on_exit(finalize_at_exit, nullptr);
  if (provided < MPI_THREAD_MULTIPLE)
    throw Error(StatusCode::unavailable,
                std::string("this MPI library gives ") + name_of_level(provided) +
                    ", but Treering needs MPI_THREAD_MULTIPLE: use a build of MPI that has it");
}

}  // namespace

bool usable() {
  int initialised = 0;
  int finalized = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalized);
  return initialised != 0 && finalized == 0;
}

void join() {
  const std::lock_guard lock(process().mutex);
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0)
    throw Error(StatusCode::unavailable, "MPI has been finalized already: start the engine before MPI_Finalize");
  if (!usable()) initialise();
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  if (level < MPI_THREAD_MULTIPLE)
    throw Error(StatusCode::unavailable,
                std::string("MPI was initialised with ") + name_of_level(level) +
                    ", but Treering needs MPI_THREAD_MULTIPLE: call MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, "
                    "&provided) instead of MPI_Init, or leave it to Engine::start");
}

void fabric_started(bool several_hosts) {
  process().fabrics.fetch_add(1);
  if (several_hosts) process().several_hosts.store(true);
}

void fabric_ended_well() { process().fabrics.fetch_sub(1); }

}  // namespace treering::transport::mpi
