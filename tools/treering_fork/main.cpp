// Starts one process per rank on this machine, without MPI: treering-fork -n 4 ./program arguments
//
// The status is that of the first rank, in their order, that did not end with 0; 128 + the signal's number if it was
// killed. A rank that ends badly is noticed by the others' engines, so nobody is killed from here.
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/environment.h"
#include "transport/fork/launch.h"
#include "treering/status.h"

namespace {

using namespace treering;
using namespace treering::transport;

constexpr int most_ranks = 256;

int number_in(const char* text) {
  int value = 0;
  const char* const end = text + std::strlen(text);
  const auto [behind, error] = std::from_chars(text, end, value);
  return error == std::errc() && behind == end && value <= most_ranks ? value : 0;
}

int become_program(const fork::Seat& seat, char** command) {
  ::setenv(seat_variable, seat.text().c_str(), 1);
  ::execvp(command[0], command);
  std::fprintf(stderr, "treering-fork: cannot run %s: %s\n", command[0], std::strerror(errno));
  return 127;
}

int worst_of(const std::vector<fork::Ending>& endings) {
  int worst = 0;
  for (std::size_t rank = 0; rank < endings.size(); ++rank) {
    const int status = endings[rank].status;
    if (status == 0) continue;
    std::fprintf(stderr, "treering-fork: rank %zu ended with status %d\n", rank, status);
    if (worst == 0) worst = status;
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc > 3 && std::strcmp(argv[1], "-n") == 0 ? number_in(argv[2]) : 0;
  if (ranks < 1) {
    std::fprintf(stderr, "usage: treering-fork -n RANKS PROGRAM [ARGUMENT...]   (1 to %d ranks)\n", most_ranks);
    return 2;
  }
  try {
    return worst_of(fork::launch(ranks, [&](const fork::Seat& seat) { return become_program(seat, argv + 3); }));
  } catch (const Error& error) {
    std::fprintf(stderr, "treering-fork: %s\n", error.what());
    return 1;
  }
}
