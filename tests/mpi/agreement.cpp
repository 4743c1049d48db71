#include "tests/mpi/agreement.h"

#include <chrono>
#include <cstdio>
#include <sstream>
#include <thread>

#include "tests/watchdog.h"

namespace treering::testing {
namespace {

constexpr int text_tag = 1;

void print_with_rank(int rank, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) std::printf("[rank %d] %s\n", rank, line.c_str());
  std::fflush(stdout);
}

}  // namespace

std::streamsize Captured::xsputn(const char* data, std::streamsize count) {
  const std::lock_guard lock(mutex_);
  text_.append(data, static_cast<std::size_t>(count));
  return count;
}

Captured::int_type Captured::overflow(int_type character) {
  const std::lock_guard lock(mutex_);
  text_.push_back(traits_type::to_char_type(character));
  return character;
}

Agreement::Agreement(MPI_Comm parent, const Captured* captured) : captured_(captured) {
  MPI_Comm_dup(parent, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

Agreement::~Agreement() { MPI_Comm_free(&comm_); }

void Agreement::meet(const char* test_case, bool failed) {
  under_way(std::string("waiting for the other ranks after: ") + test_case + (failed ? " (failed here)" : ""));
  int sent = failed ? 1 : 0;
  int any_failed = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&sent, &any_failed, 1, MPI_INT, MPI_MAX, comm_, &request);
  const double deadline = MPI_Wtime() + grace_seconds;
  for (int complete = 0; complete == 0;) {
    MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
    if (complete == 0 && failed && MPI_Wtime() > deadline) give_up(test_case);
    std::this_thread::yield();
  }
}

void Agreement::give_up(const char* test_case) {
  if (captured_ != nullptr) print_with_rank(rank_, captured_->text());
  std::fprintf(stderr,
               "rank %d failed in test case '%s' and the other ranks have not finished it after %.0f s: ending\n",
               rank_, test_case, grace_seconds);
  std::fflush(stderr);
  MPI_Abort(comm_, 1);
  std::_Exit(1);
}

int Agreement::conclude(int result) {
  const bool has_text = result != 0 && captured_ != nullptr;
  const std::string text = has_text ? captured_->text() : std::string();
  const int length = static_cast<int>(text.size());
  if (rank_ != 0) {
    MPI_Send(&length, 1, MPI_INT, 0, text_tag, comm_);
    MPI_Send(text.data(), length, MPI_CHAR, 0, text_tag, comm_);
  }
  for (int peer = 1; rank_ == 0 && peer < size_; ++peer) {
    int incoming = 0;
    MPI_Recv(&incoming, 1, MPI_INT, peer, text_tag, comm_, MPI_STATUS_IGNORE);
    std::string theirs(static_cast<std::size_t>(incoming), '\0');
    MPI_Recv(theirs.data(), incoming, MPI_CHAR, peer, text_tag, comm_, MPI_STATUS_IGNORE);
    print_with_rank(peer, theirs);
  }
  int worst = 0;
  MPI_Allreduce(&result, &worst, 1, MPI_INT, MPI_MAX, comm_);
  return worst;
}

}  // namespace treering::testing
