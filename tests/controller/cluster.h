#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "controller/controller.h"
#include "transport/message_edge.h"

namespace treering::controller::test {

/// One direction of an edge: lossless, in order, late by a random number of ticks.
struct Pipe {
  struct Letter {
    Bytes bytes;
    std::uint64_t due;
  };
  std::deque<Letter> letters;
  std::uint64_t writable_at = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t messages_sent = 0;
};

/// Many controllers in one thread, stepped in random order, over pipes with random delays, under one manual clock.
class Cluster {
 public:
  struct Options {
    std::vector<int> node_of;
    Tunables tunables;
    std::uint64_t seed = 1;
    std::uint64_t longest_delay = 0;  ///< ticks
    std::size_t definitions = 16 * 1024;
    bool execute = true;  ///< the root's rounds are executed as soon as they are delivered
  };

  explicit Cluster(Options options);
  static Options flat(int size, std::uint64_t seed = 1, std::uint64_t longest_delay = 0);

  int size() const { return static_cast<int>(ranks_.size()); }
  Token request(int rank, Request request);
  /// The same request on every rank; their tokens by rank.
  std::vector<Token> request_everywhere(const Request& request);
  void leave(int rank) { at(rank).controller->leave(); }
  void leave_everywhere();
  void execute(std::uint64_t bytes) { at(0).controller->executed(bytes); }
  /// Everybody takes one turn, in random order. True if anything is still moving.
  bool turn();
  /// Turns until nothing moves. Checks that streams agree as far as they go.
  void settle();
  /// Moves the clock and settles.
  void pass(Nanoseconds time);

  // -- what became of it
  struct Delivery {
    std::uint64_t round;
    std::size_t item;
    std::uint64_t begin;
    std::uint64_t end;
  };
  struct Outcome {
    Request request;
    std::vector<Delivery> deliveries;
    bool complete = false;
    std::vector<Status> failures;
    int endings() const { return (complete ? 1 : 0) + static_cast<int>(failures.size()); }
  };
  const Outcome& outcome(int rank, Token token) const { return ranks_[static_cast<std::size_t>(rank)].outcomes[token]; }
  bool succeeded(int rank, Token token) const { return outcome(rank, token).complete; }
  bool pending(int rank, Token token) const { return outcome(rank, token).endings() == 0; }
  StatusCode code(int rank, Token token) const;
  const std::string& message(int rank, Token token) const;
  const std::vector<Round>& rounds(int rank) const { return ranks_[static_cast<std::size_t>(rank)].rounds; }
  const std::vector<std::string>& notices() const { return notices_; }
  const std::vector<int>& left(int rank) const { return ranks_[static_cast<std::size_t>(rank)].left; }
  bool ended(int rank) const { return ranks_[static_cast<std::size_t>(rank)].ended; }
  const std::optional<Status>& fatal(int rank) const { return ranks_[static_cast<std::size_t>(rank)].fatal; }

  /// No token ended twice; with `all`, every token has ended.
  void check_endings(bool all = true) const;

  Controller& controller(int rank) { return *at(rank).controller; }
  Pipe& pipe(int from, int to) { return *pipes_.at({from, to}); }
  /// Puts a message into a pipe as if `from` had sent it.
  void forge(int from, int to, Bytes message) { pipe(from, to).letters.push_back({std::move(message), 0}); }
  ManualClock& clock() { return clock_; }
  std::uint64_t bytes_sent() const;

 private:
  class Edge;
  struct Member {
    std::vector<std::unique_ptr<transport::MessageEdge>> edges;
    std::unique_ptr<Controller> controller;
    std::vector<Outcome> outcomes;
    std::vector<Round> rounds;
    std::vector<int> left;
    bool ended = false;
    std::optional<Status> fatal;
  };
  Member& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  void take_events(int rank);
  void take(int rank, RoundReady& ready);
  void check_streams() const;

  Options options_;
  std::mt19937_64 random_;
  ManualClock clock_;
  std::uint64_t tick_ = 1;
  std::map<std::pair<int, int>, std::unique_ptr<Pipe>> pipes_;
  std::vector<Member> ranks_;
  std::vector<std::size_t> order_;
  std::vector<std::string> notices_;
};

// -- short words for requests

Request allreduce(const std::string& name, std::int64_t count, DataType type = DataType::f32);
Request bundle(const std::vector<std::string>& names, std::int64_t count, DataType type = DataType::f32);
Request barrier(const std::string& name);

}  // namespace treering::controller::test
