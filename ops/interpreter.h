#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "ops/program.h"
#include "topology/plan.h"

namespace treering::ops {

/// One instruction of one iteration, as a costume sees it. Here and below "rank" is the number of a member (see
/// topology::member_numbers), which is its rank where every rank drives one device.
struct Step {
  int rank = 0;
  int run = 0;
  int actor = 0;  ///< the rank's stream; the same number in every run
  const Program* program = nullptr;
  const Instruction* instruction = nullptr;
  std::uint64_t iteration = 0;

  std::int64_t chunk() const { return instruction->chunk.at(iteration); }
  std::uint64_t begin() const { return range().begin_of(static_cast<std::uint64_t>(chunk())); }
  std::uint64_t end() const { return range().end_of(static_cast<std::uint64_t>(chunk())); }
  const Range& range() const { return program->ranges[instruction->range]; }
};

/// A counter's step to a value; `id` numbers all raises of an interpretation.
struct Raise {
  std::uint64_t value = 0;
  std::size_t id = 0;
  Nanoseconds at = 0;
  Step by;  ///< the signal, send or receive
};

/// What an interpretation is for: the checker follows values, the simulator gives times.
class Costume {
 public:
  virtual ~Costume() = default;

  /// How long the step takes that begins now; asked once per step, in the order of time. A wait begins when it is
  /// satisfied.
  virtual Nanoseconds duration(const Step&, Nanoseconds /*now*/) { return 0; }
  /// The same for a message whose two sides are there now.
  virtual Nanoseconds flight(const Step& /*send*/, const Step& /*receive*/, Nanoseconds /*now*/) { return 0; }

  virtual void started(int /*rank*/, int /*run*/) {}
  virtual void moved(const Step&) {}  ///< copy, reduce
  /// `by`: the first raise that satisfies the wait; null if there was nothing to wait for.
  virtual void waited(const Step&, const Raise* /*by*/) {}
  virtual void signalled(const Raise&) {}
  virtual void posted(const Step&, std::size_t /*transfer*/) {}  ///< send, receive
  virtual void exchanged(std::size_t /*sent*/, std::size_t /*received*/) {}
  virtual void transferred(std::size_t /*transfer*/, const Raise&) {}
  virtual void completed(const Step&) {}
  virtual void ended(int /*rank*/, int /*run*/) {}
};

/// The programs of all ranks, by run and rank; all runs use the same lane, one after the other.
using JobPrograms = std::vector<std::vector<const Program*>>;

/// Runs the programs of all members of a job together, as discrete events. Sends complete only when they are received.
/// One schedule is enough to judge all: programs do not branch on data and counters only grow.
class Interpreter {
 public:
  Interpreter(const topology::Plan& plan, const JobPrograms& programs, Costume& costume);

  /// What went wrong: programs that never end, counters that shrink, messages that do not match.
  std::vector<std::string> run();

  int ranks() const { return static_cast<int>(place_.size()); }
  int node_of(int rank) const { return place_[static_cast<std::size_t>(rank)].first; }
  int rank_of(int node, int member) const {
    return numbers_[static_cast<std::size_t>(node)][static_cast<std::size_t>(member)];
  }
  /// The members of a node.
  const std::vector<int>& ranks_of(int node) const { return numbers_[static_cast<std::size_t>(node)]; }
  /// The rank in the job that drives this member; it leads if it is the first of that rank.
  int driver_of(int rank) const { return drivers_[static_cast<std::size_t>(rank)]; }
  bool leads(int rank) const { return rank == 0 || driver_of(rank - 1) != driver_of(rank); }
  /// Number of streams of all ranks; Step::actor is below.
  int actors() const { return actors_; }

 private:
  struct Actor {
    std::uint32_t loop = 0;
    std::uint32_t loop_end = 0;
    std::uint32_t index = 0;
    std::uint64_t iteration = 0;
    Nanoseconds time = 0;
    int rank = 0;
  };
  struct Counter {
    std::vector<Raise> raises;
    std::vector<int> parked;
    std::deque<std::size_t> transfers;  // in the order posted
  };
  struct Transfer {
    Step step;
    Nanoseconds posted = 0;
    bool over = false;
  };
  struct RankState {
    int run = -1;
    std::size_t live = 0;
    std::uint64_t base = 0;
    int first_actor = 0;
    std::vector<Counter> counters;
    bool ended = true;
  };
  struct Event {
    Nanoseconds at;
    std::uint64_t order;
    int actor;
    std::size_t sent, received;  // if actor < 0
    bool operator>(const Event& other) const { return std::tie(at, order) > std::tie(other.at, other.order); }
  };
  using Channel = std::tuple<int, int, int>;  // from, to, channel
  struct Ends {
    std::deque<std::size_t> sends, receives;
  };

  RankState& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  const Program& program(int rank) const;
  void start_ready_nodes();
  void start(int rank);
  void schedule(int actor);
  void advance(int actor);
  bool execute(int actor, const Step& step);
  bool satisfied(const Step& step, const Raise*& by, Counter*& counter);
  Counter& counter_of(const Step& step);
  void raise(Counter& counter, const Raise& raise);
  Raise make_raise(const Step& step, Nanoseconds at);
  void post(int actor, const Step& step);
  void finish_transfer(std::size_t sent, std::size_t received, Nanoseconds now);
  void drain(Counter& counter, Nanoseconds now);
  void end_stream(int rank);
  void report_leftovers();
  void problem(std::string text);
  Step step_of(int actor) const;

  const JobPrograms& programs_;
  Costume& costume_;
  const std::vector<std::vector<int>> numbers_;  // per node and member
  std::vector<int> drivers_;                     // per member: its rank in the job
  std::vector<std::pair<int, int>> place_;       // per rank: node, member
  std::vector<RankState> states_;
  std::vector<Actor> actor_states_;
  std::vector<Transfer> transfers_;
  std::map<Channel, Ends> channels_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::string> problems_;
  std::uint64_t order_ = 0;
  std::size_t raises_ = 0;
  int actors_ = 0;
};

}  // namespace treering::ops
