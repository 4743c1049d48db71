#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"

namespace treering::transport::fork {

/// The place of one process in a job that a launcher has forked: its rank, and stream sockets that it inherits. They
/// stay open for as long as the process lives, so that it may start one engine after the other; nobody owns them.
struct Seat {
  int rank = 0;
  int size = 1;
  std::vector<int> sockets;  ///< rank 0: to ranks 1, 2, ...; others: the one to rank 0

  /// For the environment of a program that the forked process turns into: "rank/size/socket,socket".
  std::string text() const;
};

/// The seat that the text describes; nothing if it describes none.
std::optional<Seat> parse_seat(std::string_view text);

/// Both ends of the sockets of a job, before its processes are forked.
class Seats {
 public:
  /// Throws Error if the system refuses sockets.
  explicit Seats(int size);

  int size() const { return static_cast<int>(inner_.size()) + 1; }
  /// The seat of a rank, in that rank's process: it closes what belongs to the others.
  Seat take(int rank);

 private:
  std::vector<UniqueFd> inner_;  // rank 0's ends
  std::vector<UniqueFd> outer_;
};

}  // namespace treering::transport::fork
