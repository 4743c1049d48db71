#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "treering/status.h"

namespace treering::transport::mpi {

/// Learns that one of its requests is over.
class RequestOwner {
 public:
  virtual ~RequestOwner() = default;
  virtual void completed(std::uint64_t cookie, const MPI_Status& status) = 0;
};

/// All pending requests of a fabric in one array, tested by one MPI_Testsome. Engine thread only.
class Requests {
 public:
  enum class Kind : std::uint8_t {
    standing,  ///< waits for whatever may come; does not keep anybody awake
    moving,    ///< part of something that both sides want finished
  };

  void add(MPI_Request request, RequestOwner& owner, std::uint64_t cookie, Kind kind, std::size_t bytes);

  /// One call into MPI; true if anything completed.
  bool poll();

  /// How long a sleep may be as far as requests are concerned: zero just after progress, later as long as the bytes in
  /// flight take on a fast wire, divided by four, growing with the time nothing has happened; none if nothing moves.
  /// `awaited`: something that makes no request of its own is known to be on its way.
  std::optional<Nanoseconds> longest_sleep(bool awaited) const;

  /// Between two sleeps MPI is polled several times.
  void begin_burst() { idle_polls_ = 0; }
  /// Something is known to arrive at once.
  void expect_progress();

  const Status& status() const { return status_; }

  /// After an agreed end: cancels what is still pending and tests until it is over. False if something is not in time;
  /// its memory must then be leaked.
  bool cancel_all(Nanoseconds limit);

 private:
  struct Pending {
    RequestOwner* owner;
    std::uint64_t cookie;
    Kind kind;
    std::size_t bytes;
  };

  void take_out(std::size_t index);

  std::vector<MPI_Request> requests_;
  std::vector<Pending> pending_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<std::pair<Pending, MPI_Status>> over_;  // what the last poll has found
  std::vector<std::size_t> gone_;
  std::size_t moving_ = 0;
  std::size_t moving_bytes_ = 0;
  int idle_polls_ = 0;
  Nanoseconds last_progress_ = 0;
  Status status_;
};

}  // namespace treering::transport::mpi
