#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/mpsc_queue.h"
#include "base/tunables.h"
#include "controller/controller.h"
#include "engine/pending.h"
#include "engine/schedule.h"
#include "engine/tally.h"
#include "ops/executor.h"
#include "timeline/recorder.h"
#include "topology/plan.h"
#include "transport/fabric.h"
#include "treering/config.h"

namespace treering {

/// What other threads ask of the engine thread.
struct LeaveCommand {};
struct DumpCommand {
  std::shared_ptr<std::promise<std::string>> answer;
};
using Command = std::variant<std::shared_ptr<Operation>, LeaveCommand, DumpCommand>;

/// The engine thread's whole life: take what users hand over, agree, execute, complete; sleep when there is nothing to
/// do; end after an agreed shutdown, or fail as one with the job. All members are for the engine thread, except `push`,
/// `give_up` and `tally`.
class Loop {
 public:
  Loop(const Config& config, const Tunables& tunables, const topology::Plan& plan, transport::Fabric& fabric,
       timeline::Recorder& recorder, const Clock& clock, const Log& log);

  /// Runs until the stream has ended everywhere, or until `give_up`.
  void run();

  /// Any thread. False if the loop has ended; the command is then dropped.
  bool push(Command command);
  /// Ready when `run` has ended. Call once.
  std::future<void> ended() { return ended_.get_future(); }
  /// Any thread: stop waiting for peers; everything pending fails.
  void give_up();
  const Tally& tally() const { return tally_; }

 private:
  /// working: the normal state. draining: the stream has ended, the last programs run. failing: the cause is known,
  /// memory may still be touched by living neighbours. dead: everything has been completed with the cause.
  enum class State { working, draining, failing, dead, ended };

  bool step();
  bool step_unguarded();
  void doze(std::uint64_t rings);
  std::optional<Nanoseconds> longest_sleep() const;

  bool take_commands();
  void accept(std::shared_ptr<Operation>&& operation);
  void accept(LeaveCommand);
  void accept(DumpCommand&& command);

  bool take_events();
  void handle(controller::RoundReady&& ready);
  void handle(controller::RequestsFailed&& failed);
  void handle(controller::RankLeft left);
  void handle(controller::StreamEnded);
  void handle(controller::StallNotice&& notice);
  void handle(controller::Fatal&& fatal);

  bool execute();
  void complete(controller::Token token, const Status& status);
  void complete_if_done(controller::Token token);
  void end_if_drained();
  void stop_waiting();

  void fail(const Status& cause);
  void step_failing();
  void complete_all(const Status& cause);
  std::string dump() const;

  const Config& config_;
  const Tunables tunables_;
  transport::Fabric& fabric_;
  timeline::Recorder& recorder_;
  const Clock& clock_;
  const Log& log_;
  controller::Neighbours neighbours_;
  std::vector<transport::MessageEdge*> edges_;

  MpscQueue<Command> commands_;
  std::atomic<bool> gave_up_{false};
  Tally tally_;
  std::promise<void> ended_;

  State state_ = State::working;
  Status cause_;
  Nanoseconds now_ = 0;  ///< at the start of this turn
  Nanoseconds failed_at_ = 0;
  bool left_ = false;
  PendingTable pending_;
  controller::Controller controller_;
  ops::Executor executor_;
  Schedule schedule_;
  std::vector<Command> taken_;
};

}  // namespace treering
