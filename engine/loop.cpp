#include "engine/loop.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/check.h"
#include "engine/choose_plan.h"
#include "engine/trace.h"
#include "transport/sleep.h"

namespace treering {
namespace {

std::vector<transport::MessageEdge*> edges_to(transport::Fabric& fabric, const std::vector<int>& peers) {
  std::vector<transport::MessageEdge*> edges;
  for (const int peer : peers) edges.push_back(&fabric.edge(peer));
  return edges;
}

std::optional<Nanoseconds> sooner(std::optional<Nanoseconds> a, std::optional<Nanoseconds> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// So often the engine thread looks at its timers although nobody has rung: waiters who step in its place may have
/// added later ones without waking it.
constexpr Nanoseconds longest_nap = 1'000'000'000;

}  // namespace

Loop::Loop(const Config& config, const Tunables& tunables, const topology::Plan& plan, transport::Fabric& fabric,
           timeline::Recorder& recorder, const timeline::ClockPlace& place, const Clock& clock, const Log& log)
    : config_(config),
      tunables_(tunables),
      fabric_(fabric),
      recorder_(recorder),
      clock_(clock),
      log_(log),
      neighbours_(controller::neighbours_of(fabric.world(), fabric.world().rank, static_cast<int>(tunables.fanout))),
      memory_(most_area_bytes(fabric.world(), tunables)),
      states_(recorder),
      clock_sync_(clock, recorder, place),
      controller_(fabric.world(), tunables_, clock,
                  neighbours_.parent < 0 ? nullptr : clock_sync_.to_parent(fabric.edge(neighbours_.parent)),
                  clock_sync_.to_children(edges_to(fabric, neighbours_.children))),
      executor_(fabric.world(), plan, tunables_, fabric.node(), fabric.wire(), recorder, clock),
      schedule_(fabric.world(), tunables_, pending_) {
  edges_ = edges_to(fabric, neighbours_.children);
  if (neighbours_.parent >= 0) edges_.push_back(&fabric.edge(neighbours_.parent));
}

/// A thread that hands over one small tensor probably waits for it next: if the engine is idle, it posts the request
/// itself instead of waking the engine thread. More, or larger ones, are the engine thread's, so that the caller can go
/// on computing.
bool Loop::hand_over(std::shared_ptr<Operation> operation) {
  constexpr std::uint64_t light = 32 * 1024;
  const bool is_light = bytes_of(operation->task.request) <= light;
  const auto pushed = commands_.push(std::move(operation));
  if (pushed == MpscQueue<Command>::Pushed::first && !(is_light && post_if_idle())) fabric_.ring_self();
  return pushed != MpscQueue<Command>::Pushed::refused;
}

bool Loop::post_if_idle() {
  if (!idle_.load(std::memory_order_relaxed)) return false;
  Helm::Watch watch(*helm_);
  if (!watch.take() || pending_.size() > 0) return false;
  step();
  return true;
}

bool Loop::push(Command command) {
  const auto pushed = commands_.push(std::move(command));
  if (pushed == MpscQueue<Command>::Pushed::first) fabric_.ring_self();
  return pushed != MpscQueue<Command>::Pushed::refused;
}

void Loop::give_up() {
  gave_up_.store(true, std::memory_order_release);
  fabric_.ring_self();
}

void Loop::run() {
  transport::make_waits_precise();
  std::unique_lock hold = helm_->hold();
  wake();
  Nanoseconds last_progress = clock_.now();
  while (state_ != State::ended) {
    if (step()) {
      last_progress = now_;
    } else if (now_ - last_progress < std::chrono::nanoseconds(config_.spin).count()) {
      yield(hold);
    } else {
      doze(hold);
    }
  }
  commands_.close();
  take_commands();
  helm_->close();
  hold.unlock();
  ended_.set_value();
}

void Loop::wake() {
  fabric_.bell().declare_awake();
  fabric_.begin_turns();
}

/// Gives the core away, and, while nothing is to be done, the helm: whoever hands over the next tensor need not wait
/// for this thread to get the core again.
void Loop::yield(std::unique_lock<std::mutex>& hold) {
  if (pending_.size() > 0 || !executor_.idle() || state_ != State::working) {
    sched_yield();
    return;
  }
  fabric_.list_awaited(awaited_);
  hold.unlock();
  sched_yield();
  if (!hold.try_lock()) sleep(hold, longest_nap);  // a waiter has it, and wakes this thread when that is needed
}

/// The way into the one sleep. `rings_` was read before the last scan, which found nothing; whatever came since is
/// found by comparing it or by the scan after declaring, or wakes the sleeper.
void Loop::doze(std::unique_lock<std::mutex>& hold) {
  const std::optional<Nanoseconds> limit = longest_sleep();
  if (limit && *limit <= 0) return yield(hold);
  const transport::Bell& bell = fabric_.bell();
  const std::uint64_t rings = rings_;
  bell.declare_asleep();
  if (bell.rings() != rings || step()) return bell.declare_awake();
  Tally::add(tally_.sleeps);
  fabric_.list_awaited(awaited_);
  states_.rest(clock_);
  hold.unlock();
  sleep(hold, sooner(limit, longest_nap));
}

/// Sleeps without the helm and comes back with it. While a waiter has it this thread goes on sleeping.
void Loop::sleep(std::unique_lock<std::mutex>& hold, std::optional<Nanoseconds> limit) {
  do {
    if (transport::poll_for(awaited_, limit) &&
        std::any_of(awaited_.begin() + 1, awaited_.end(), [](const pollfd& entry) { return entry.revents != 0; }))
      fabric_.look_soon();
    limit = longest_nap;
  } while (!hold.try_lock());
  wake();
}

void Loop::rest() {
  constexpr int most_turns = 3;  // what has just ended may have left something behind
  bool settled = false;
  for (int turn = 0; turn < most_turns && !settled; ++turn) settled = !step();
  const std::uint64_t rings = rings_;
  states_.rest(clock_);
  fabric_.bell().declare_asleep();
  if (!settled || fabric_.bell().rings() != rings || !can_be_left()) fabric_.ring_self();
}

/// Whatever comes next rings the bell, or is not due before the engine thread wakes by itself.
bool Loop::can_be_left() const {
  const std::optional<Nanoseconds> limit = longest_sleep();
  return state_ == State::working && (!limit || *limit >= longest_nap);
}

std::optional<Nanoseconds> Loop::longest_sleep() const {
  std::optional<Nanoseconds> limit;
  if (state_ == State::failing) return Nanoseconds{1'000'000};
  if (state_ != State::dead) limit = fabric_.longest_sleep();
  if (state_ == State::working) {
    for (const auto timer : {controller_.next_timer(), left_ ? std::nullopt : clock_sync_.next_due()})
      if (timer) limit = sooner(limit, std::max<Nanoseconds>(0, *timer - clock_.now()));
  }
  return limit;
}

bool Loop::step() {
  try {
    const bool moved = step_unguarded();
    idle_.store(pending_.size() == 0, std::memory_order_relaxed);
    states_.moved(moved);
    return moved;
  } catch (const Error& error) {
    fail(Status(error.code(), error.what()));
  } catch (const std::exception& error) {
    fail(Status(StatusCode::internal, fmt::format("rank {}: {}", fabric_.world().rank, error.what())));
  }
  return true;
}

bool Loop::step_unguarded() {
  now_ = clock_.now();
  rings_ = fabric_.bell().rings();
  if (states_.turn(now_))
    trace_sample(recorder_, {memory_, pending_.size(), schedule_.waiting(), executor_.running()}, now_);
  bool progress = take_commands();
  switch (state_) {
    case State::working:
    case State::draining:
      progress |= fabric_.progress();
      if (const Status cause = fabric_.poisoned(); !cause.ok()) {
        fail(cause);
        return true;
      }
      progress |= controller_.step();
      clock_sync_.step(now_, state_ == State::working && !left_);
      progress |= take_events();
      progress |= execute();
      if (state_ == State::draining) end_if_drained();
      break;
    case State::failing: step_failing(); break;
    case State::dead: break;
    case State::ended: return true;
  }
  if (gave_up_.load(std::memory_order_acquire) && state_ != State::ended) {
    stop_waiting();
    return true;
  }
  return progress;
}

bool Loop::take_commands() {
  commands_.take(taken_);
  if (taken_.empty()) return false;
  for (Command& command : taken_) std::visit([this](auto&& what) { accept(std::move(what)); }, command);
  taken_.clear();
  return true;
}

void Loop::accept(std::shared_ptr<Operation>&& operation) {
  if (state_ == State::failing || state_ == State::dead || state_ == State::ended) {
    Tally::add(tally_.failures);
    operation->complete(cause_);
    return;
  }
  std::shared_ptr<const Request> request(operation, &operation->task.request);
  PendingTask pending{std::move(operation)};
  pending.posted = now_;
  pending.bytes_left = request->kind == OperationKind::allgather ? 1 : bytes_of(*request);
  const controller::Token token = pending_.add(std::move(pending));
  if (recorder_.enabled()) trace_posted(recorder_, *pending_.find(token));
  controller_.request(token, std::move(request));
}

void Loop::accept(LeaveCommand) {
  if (state_ == State::working && !left_) controller_.leave();
  left_ = true;
  if (state_ == State::dead) state_ = State::ended;
}

void Loop::accept(DumpCommand&& command) { command.answer->set_value(dump()); }

bool Loop::take_events() {
  bool any = false;
  while (state_ == State::working) {
    std::optional<controller::Event> event = controller_.next();
    if (!event) break;
    any = true;
    std::visit([this](auto&& what) { handle(std::forward<decltype(what)>(what)); }, std::move(*event));
  }
  return any;
}

void Loop::handle(controller::RoundReady&& ready) {
  Tally::add(tally_.rounds);
  for (std::size_t item = 0; item < ready.tokens.size(); ++item) {
    PendingTask* const pending = pending_.find(ready.tokens[item]);
    TREERING_CHECK(pending != nullptr, "a round holds a request that this rank does not have");
    if (pending->agreed != 0) continue;
    pending->agreed = now_;
    if (recorder_.enabled()) trace_agreed(recorder_, *pending, ready.round, item);
  }
  if (recorder_.enabled()) trace_round(recorder_, ready.round, now_);
  schedule_.add(ready);
  for (const controller::Token token : ready.tokens) complete_if_done(token);
}

void Loop::handle(controller::RequestsFailed&& failed) {
  for (const controller::Token token : failed.tokens)
    if (pending_.find(token) != nullptr) complete(token, failed.status);
}

void Loop::handle(controller::RankLeft left) { log_.info(fmt::format("rank {} has shut down", left.rank)); }

void Loop::handle(controller::StreamEnded) { state_ = State::draining; }

void Loop::handle(controller::StallNotice&& notice) { log_.warning(notice.text); }

void Loop::handle(controller::Fatal&& fatal) { fail(fatal.status); }

bool Loop::execute() {
  bool progress = false;
  while (auto submission = schedule_.next()) {
    Tally::add(tally_.batches);
    Tally::add(tally_.bytes, submission->batch->bytes);
    if (recorder_.enabled())
      trace_batch(recorder_, *submission, schedule_.origin_of(submission->cookie), pending_, now_);
    executor_.submit(std::move(*submission));
    progress = true;
  }
  progress |= executor_.step();
  std::uint64_t executed = 0;
  while (const auto finished = executor_.next_finished()) {
    progress = true;
    if (finished->mapped) Tally::add(tally_.mapped_batches);
    for (const Schedule::Progress& part : schedule_.finished(finished->cookie, executed)) {
      pending_.find(part.token)->bytes_left -= part.count;
      complete_if_done(part.token);
    }
  }
  if (executed > 0) controller_.executed(executed);
  return progress;
}

void Loop::complete_if_done(controller::Token token) {
  const PendingTask* const pending = pending_.find(token);
  if (pending != nullptr && pending->bytes_left == 0) complete(token, Status());
}

void Loop::complete(controller::Token token, const Status& status) {
  PendingTask done = pending_.take(token);
  Tally::add(status.ok() ? tally_.operations : tally_.failures);
  if (recorder_.enabled()) trace_done(recorder_, done, clock_.now(), status);
  done.operation->complete(status);
}

void Loop::end_if_drained() {
  const bool flushed = std::ranges::all_of(edges_, [](const transport::MessageEdge* edge) { return edge->writable(); });
  if (!flushed || !schedule_.idle() || !executor_.idle() || controller_.step()) return;
  fabric_.say_goodbye();
  complete_all(Status(StatusCode::shut_down, "the engine was shut down before this operation was agreed"));
  cause_ = Status(StatusCode::shut_down, "the engine has been shut down");
  state_ = State::ended;
}

/// The time for an orderly end is over. While programs run, peers may touch this rank's memory: then it ends as a
/// failure.
void Loop::stop_waiting() {
  if (state_ == State::failing) return;
  if (state_ != State::dead) {
    const Status late(StatusCode::timed_out,
                      fmt::format("rank {} stopped waiting for the other ranks to shut down; is one of them still "
                                  "computing, or gone? TREERING_SHUTDOWN_TIMEOUT_MS sets the time",
                                  fabric_.world().rank));
    if (!executor_.idle()) return fail(late);
    log_.warning(late.message());
    fabric_.say_goodbye();
    cause_ = late;
    complete_all(late);
  }
  state_ = State::ended;
}

void Loop::complete_all(const Status& cause) {
  std::vector<controller::Token> tokens;
  pending_.for_each([&](controller::Token token, const PendingTask&) { tokens.push_back(token); });
  for (const controller::Token token : tokens) complete(token, cause);
}

}  // namespace treering
