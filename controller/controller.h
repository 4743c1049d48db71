#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/request.h"
#include "base/round.h"
#include "base/tunables.h"
#include "transport/message_edge.h"
#include "transport/world.h"
#include "treering/status.h"

namespace treering::controller {

/// The engine's own number for a request; comes back with the round or the failure that ends it.
using Token = std::uint64_t;

/// Next round to execute. `tokens[i]` is this rank's request behind `round.items[i]`.
struct RoundReady {
  Round round;
  std::vector<Token> tokens;
};

/// These requests of this rank will never run.
struct RequestsFailed {
  std::vector<Token> tokens;
  Status status;
};

/// `rank` makes no more requests; requests that need it have failed and will fail.
struct RankLeft {
  int rank = 0;
};

/// Every rank has left and everything agreed has been delivered: the stream ends here.
struct StreamEnded {};

/// One line for people, about requests that some ranks have not made (printed by the root).
struct StallNotice {
  std::string text;
};

/// Fatal: the stall deadline passed or a neighbour sent nonsense.
struct Fatal {
  Status status;
};

using Event = std::variant<RoundReady, RequestsFailed, RankLeft, StreamEnded, StallNotice, Fatal>;

/// Parent and children of a rank's vertex: local ranks hang under their node's leader, leaders form a `fanout`-ary
/// tree.
struct Neighbours {
  int parent = -1;  ///< -1 for the root, rank 0
  std::vector<int> children;
};
Neighbours neighbours_of(const transport::World& world, int rank, int fanout);

/// One rank's part in agreeing: hands requests up, merges what its children hand up, passes the stream down, and, at
/// rank 0, decides. Engine thread only; never blocks.
class Controller {
 public:
  /// Edges are borrowed; `children` in the order of `neighbours_of(...).children`, `parent` null at the root. Beyond
  /// `definitions` (the root's counts) the root retires those used once before those used often.
  Controller(const transport::World& world, const Tunables& tunables, const Clock& clock,
             transport::MessageEdge* parent, std::vector<transport::MessageEdge*> children,
             std::size_t definitions = 16 * 1024);
  ~Controller();

  /// Enters the FIFO of each of its names. Ends in exactly one RoundReady (the last of its pieces) or RequestsFailed.
  void request(Token token, std::shared_ptr<const Request> request);
  /// This rank makes no more requests. What it has posted (the oldest request of each name) is still paired if the
  /// others' requests are complete at the root before this rank's farewell is dealt with; the rest fails.
  void leave();
  /// Root only: that many bytes of the rounds delivered here have been executed. Others may call it; it does nothing.
  void executed(std::uint64_t bytes);

  /// Drains all inputs, then sends at most one message per edge. True if anything happened. Frames are moved by
  /// whoever owns the edges, before and after.
  bool step();
  std::optional<Event> next();

  /// The time by the clock at which `step` wants to be called again although nothing arrived; none = no timer.
  std::optional<Nanoseconds> next_timer() const;
  /// What this vertex waits for, for people.
  std::string dump() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace treering::controller
