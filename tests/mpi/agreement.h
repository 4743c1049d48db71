#pragma once

#include <mpi.h>

#include <mutex>
#include <streambuf>
#include <string>

namespace treering::testing {

/// Keeps what is written to a stream over it; readable while others write.
class Captured : public std::streambuf {
 public:
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  std::streamsize xsputn(const char* data, std::streamsize count) override;
  int_type overflow(int_type character) override;

  mutable std::mutex mutex_;
  std::string text_;
};

/// How the ranks of one test program stay together. After every test case all ranks meet, so that a rank whose REQUIRE
/// threw does not run into the next case while the others are still in this one; if they do not come within
/// `grace_seconds`, the failed rank says what it saw and ends the job.
class Agreement {
 public:
  static constexpr double grace_seconds = 10;

  /// `captured` is what this rank has printed so far, or null if it prints for itself.
  Agreement(MPI_Comm parent, const Captured* captured);
  ~Agreement();
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Every rank is done with `test_case`; collective.
  void meet(const char* test_case, bool failed);
  /// Rank 0 prints what failing ranks have captured; all get the worst result. Collective.
  int conclude(int result);

 private:
  [[noreturn]] void give_up(const char* test_case);

  MPI_Comm comm_ = MPI_COMM_NULL;
  const Captured* captured_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace treering::testing
