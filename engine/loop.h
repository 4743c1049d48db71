#pragma once

#include <poll.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/mpsc_queue.h"
#include "base/tunables.h"
#include "controller/controller.h"
#include "engine/clock_sync.h"
#include "engine/helm.h"
#include "engine/loop_states.h"
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

/// An engine's whole life: take what users hand over, agree, execute, complete; sleep when there is nothing to do; end
/// after an agreed shutdown, or fail as one with the job. All members are for the thread that holds the helm, except
/// `run` (the engine thread), `push`, `hand_over`, `give_up`, `helm` and `tally`.
class Loop final : public Steered {
 public:
  Loop(const Config& config, const Tunables& tunables, const topology::Plan& plan, transport::Fabric& fabric,
       timeline::Recorder& recorder, const timeline::ClockPlace& place, const Clock& clock, const Log& log);

  /// Runs until the stream has ended everywhere, or until `give_up`.
  void run();

  /// Any thread. False if the loop has ended; what was pushed is then dropped.
  bool push(Command command);
  bool hand_over(std::shared_ptr<Operation> operation);
  /// Ready when `run` has ended. Call once.
  std::future<void> ended() { return ended_.get_future(); }
  /// Any thread: stop waiting for peers; everything pending fails.
  void give_up();
  const Tally& tally() const { return tally_; }
  /// For threads that wait.
  const std::shared_ptr<Helm>& helm() const { return helm_; }

 private:
  /// working: the normal state. draining: the stream has ended, the last programs run. failing: the cause is known,
  /// memory may still be touched by living neighbours. dead: everything has been completed with the cause.
  enum class State { working, draining, failing, dead, ended };

  bool post_if_idle();
  bool step() override;
  void wake() override;
  void rest() override;

  bool step_unguarded();
  void yield(std::unique_lock<std::mutex>& hold);
  void doze(std::unique_lock<std::mutex>& hold);
  void sleep(std::unique_lock<std::mutex>& hold, std::optional<Nanoseconds> limit);
  std::optional<Nanoseconds> longest_sleep() const;
  bool can_be_left() const;

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

  std::shared_ptr<Helm> helm_ = std::make_shared<Helm>(*this);
  std::atomic<bool> idle_{true};  ///< nothing was pending after the latest step: a hint, so that a burst is not posted
                                  ///< one by one on its caller's thread
  std::uint64_t rings_ = 0;       ///< of the bell, before the latest step
  std::vector<pollfd> awaited_;   ///< the engine thread's: what ends its sleep

  State state_ = State::working;
  Status cause_;
  Nanoseconds now_ = 0;         ///< at the start of this turn
  const std::uint64_t memory_;  ///< bytes, for the timeline
  LoopStates states_;
  Nanoseconds failed_at_ = 0;
  bool left_ = false;
  PendingTable pending_;
  ClockSync clock_sync_;
  controller::Controller controller_;
  ops::Executor executor_;
  Schedule schedule_;
  std::vector<Command> taken_;
};

}  // namespace treering
