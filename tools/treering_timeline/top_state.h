#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "timeline/spool_reader.h"

namespace treering::tools {

/// What a live view knows of one rank. Memory is bounded by `window` and by what is pending.
struct TopRank {
  struct Moved {
    Nanoseconds when = 0;
    std::uint64_t bytes = 0;
  };
  std::string host;
  int size = 0;
  Nanoseconds latest = 0;           ///< its newest record, by its own clock
  std::set<std::uint64_t> pending;  ///< operations
  std::uint64_t batches_waiting = 0;
  std::uint64_t batches_running = 0;
  std::uint64_t dropped = 0;
  std::deque<Moved> moved;       ///< batches within the window
  std::deque<Nanoseconds> done;  ///< operations within the window
  Nanoseconds working = 0;       ///< of the newest stretch of the engine's loop
  Nanoseconds stretch = 0;
  bool stopped = false;
};

/// A running job, from the blocks that its ranks have written so far.
class TopState {
 public:
  /// Rates are of the last `window` before each rank's newest record.
  explicit TopState(Nanoseconds window) : window_(window) {}

  void take(int rank, const timeline::Block& block);
  /// At most 80 columns wide. `title` is the first line.
  std::string picture(const std::string& title) const;

 private:
  struct Arrival {
    std::map<int, std::uint64_t> waited;  ///< rank, nanoseconds from its readiness to agreement
  };

  void take(TopRank& rank, int number, const timeline::Record& record);
  void arrived(int rank, const timeline::Record& record);
  std::string row(int number, const TopRank& rank) const;

  Nanoseconds window_;
  std::map<int, TopRank> ranks_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Arrival> arrivals_;  ///< the newest operations, by round and item
};

}  // namespace treering::tools
