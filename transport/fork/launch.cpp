#include "transport/fork/launch.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "treering/status.h"

namespace treering::transport::fork {

namespace {

[[noreturn]] void become(Seats& seats, int rank, pid_t launcher, const std::function<int(const Seat&)>& body) {
  int status = 1;
  // The launcher may have died before the request took effect.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != launcher) ::_exit(1);
  try {
    status = body(seats.take(rank));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
  }
  std::fflush(nullptr);
  ::_exit(status);
}

Ending wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status)};
}

}  // namespace

std::vector<Ending> launch(int size, const std::function<int(const Seat&)>& body) {
  Seats seats(size);
  const pid_t launcher = ::getpid();
  std::fflush(nullptr);  // lest every process prints what is waiting
  std::vector<pid_t> processes;
  for (int rank = 0; rank < size; ++rank) {
    const pid_t process = ::fork();
    if (process == 0) become(seats, rank, launcher, body);
    if (process < 0) {
      const std::string why = std::strerror(errno);
      for (const pid_t made : processes) ::kill(made, SIGKILL);
      for (const pid_t made : processes) wait_for(made);
      throw Error(StatusCode::unavailable, "no process for rank " + std::to_string(rank) + ": " + why);
    }
    processes.push_back(process);
  }
  {
    const Seats closed = std::move(seats);
  }  // so that a rank's end is seen by the others
  std::vector<Ending> endings;
  for (const pid_t process : processes) endings.push_back(wait_for(process));
  return endings;
}

}  // namespace treering::transport::fork
