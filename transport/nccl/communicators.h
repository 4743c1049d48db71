#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "device/owned.h"
#include "transport/device_collectives.h"

namespace treering::transport {

/// A communicator in which this process has a member.
struct CommunicatorSpec {
  std::string name;  ///< for people
  CommunicatorId id;
  int rank = 0;
  int size = 1;
  device::Device* device = nullptr;
};

/// One member's part of a collective; `communicator` counts the specs.
struct CollectiveCall {
  std::size_t communicator = 0;
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  std::size_t elements = 0;
  DataType type = DataType::f32;
  ReduceOp op = ReduceOp::sum;  ///< not average
  device::Stream stream;
};

/// After these a communicator is given up; zero: never.
struct CollectiveDeadlines {
  std::chrono::milliseconds create{60'000};
  std::chrono::milliseconds call{30'000};    ///< until a call is no longer in progress
  std::chrono::milliseconds finish{60'000};  ///< from then until its work is done
  std::chrono::milliseconds end{30'000};
  std::chrono::milliseconds abort{5'000};
};

/// All communicators of one process, from their creation to their end, over a library that is never blocking and easy
/// to hang. The rules that keep it from hanging:
///
/// * One thread, one order: calls are issued in the order of `launch`, which is the same on all ranks, and the next
/// only
///   when nothing is in progress any more. Where one device meets two communicators, the later call's stream waits for
///   the earlier one's work, so their kernels never hold each other up.
/// * Nothing is enqueued behind a call, and no event recorded, while it is in progress: `has_launched` says when.
/// * Every step has a deadline, because the library has none.
/// * One failure ends them all: they are aborted together, by all members (the engine tells the other ranks), and what
///   cannot be aborted in time is left behind.
///
/// The engine thread, or the thread that starts or ends the engine. The library and the devices outlive it.
class Communicators {
 public:
  enum class Phase : std::uint8_t { creating, ready, ending, ended, aborting, aborted };

  /// Begins creating all of them in one group; `specs` are in the same order on every rank. Throws Error if the devices
  /// have no room for events.
  Communicators(DeviceCollectives& library, std::vector<CommunicatorSpec> specs, const CollectiveDeadlines& deadlines,
                const Clock& clock);
  /// Leaves behind what has not ended.
  ~Communicators() = default;

  /// Goes on with everything; true if anything moved.
  bool step();
  Phase phase() const { return phase_; }
  /// What went wrong first, or ok. Once it is set, no work launched here is done any more.
  const Status& failure() const { return failure_; }

  /// One collective: one call for each member that this process has in that communicator. Tickets count from 1. They
  /// are taken in any phase before the end; nothing is issued before `ready`.
  std::uint64_t launch(std::span<const CollectiveCall> calls);
  /// The work is in its streams: what is enqueued now runs after it.
  bool has_launched(std::uint64_t ticket) const { return ticket <= launched_; }
  bool is_done(std::uint64_t ticket) const { return ticket <= done_; }
  bool idle() const { return tickets_.empty(); }

  /// Ends all of them: after the last ticket is done, in the order of the specs on all ranks.
  void end();
  /// For a cause that others have found. In any phase; once they have ended it changes nothing.
  void abort(const Status& cause);
  /// Names of those that could not be aborted in time; their devices may hold kernels that wait for ever.
  const std::vector<std::string>& left_behind() const { return left_behind_; }

 private:
  static constexpr std::size_t most_under_way = 64;  // tickets that have been issued and are not done

  struct Member {
    CommunicatorSpec spec;
    DeviceCommunicator handle;
    bool exists = false;
  };
  struct Ticket {
    std::vector<CollectiveCall> calls;
    std::vector<device::Event> events;  // one for each call, recorded when launched
    Nanoseconds since = 0;
  };
  /// What each device did last, and events for what it will do.
  struct DeviceState {
    device::Device* device = nullptr;
    std::vector<device::OwnedEvent> events;
    std::size_t next_event = 0;
    std::size_t last_communicator = 0;
    bool busy = false;  // whether `last` means anything
    device::Event last;
  };

  void create_all();
  bool step_creating();
  bool step_ready();
  bool step_ending();
  bool step_aborting();
  bool issue();
  bool poll_issued();
  bool retire();
  /// Whether the oldest ticket is in its streams.
  bool has_launched_work() const { return issued_ > (in_progress_ ? 1U : 0U); }
  void watch();
  bool prepare(const CollectiveCall& call);
  bool record(Ticket& ticket);
  bool check(const Status& status, const std::string& action);
  void fail(StatusCode code, const std::string& what);
  void begin_abort();
  bool in_time(Nanoseconds since, std::chrono::milliseconds limit, const std::string& what);
  CallState state_of_all(std::string& which);
  DeviceState& state_of(const CollectiveCall& call);
  std::string names(std::span<const CollectiveCall> calls) const;

  DeviceCollectives& library_;
  CollectiveDeadlines deadlines_;
  const Clock& clock_;
  std::vector<Member> members_;
  std::map<device::Device*, DeviceState> devices_;
  Phase phase_ = Phase::creating;
  Nanoseconds since_ = 0;    // of the phase
  Nanoseconds retired_ = 0;  // when the oldest ticket became the oldest
  Nanoseconds watched_ = 0;  // when late errors were last looked for
  Status failure_;
  bool ending_ = false;
  bool finalizing_ = false;
  std::deque<Ticket> tickets_;  // not done, in order
  std::size_t issued_ = 0;      // of tickets_
  bool in_progress_ = false;    // the last one issued
  std::uint64_t last_ = 0;
  std::uint64_t launched_ = 0;
  std::uint64_t done_ = 0;
  std::vector<std::string> left_behind_;
};

}  // namespace treering::transport
