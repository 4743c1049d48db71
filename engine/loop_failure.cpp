// How an engine ends with its job: the first cause is kept and told to everybody at once; handles complete when the
// neighbours that may touch their memory have stopped, are proven dead, or have been killed at the deadline.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

#include "engine/cause_file.h"
#include "engine/last_exit.h"
#include "engine/loop.h"

namespace treering {

void Loop::fail(const Status& cause) {
  if (state_ == State::failing || state_ == State::dead || state_ == State::ended) return;
  fabric_.poison(cause);
  const Status first = fabric_.poisoned();
  cause_ = first.ok() ? cause : first;
  failed_at_ = clock_.now();
  state_ = State::failing;
  log_.error(cause_.message());
  if (!config_.cause_file.empty()) append_cause(config_.cause_file, fabric_.world().rank, cause_, log_);
  if (config_.exit_timeout.count() > 0) exit_after(config_.exit_timeout, cause_.message());
  fabric_.declare_stopped();
}

void Loop::step_failing() {
  fabric_.progress();
  if (!fabric_.node_stopped()) {
    const Nanoseconds patience = std::chrono::nanoseconds(config_.failure_timeout).count();
    if (clock_.now() - failed_at_ < patience) return;
    const std::vector<int> killed = fabric_.kill_unstopped();
    failed_at_ = clock_.now();
    if (!killed.empty())
      log_.error(fmt::format("killed rank {}: still alive but silent {} ms after the failure", fmt::join(killed, ", "),
                             config_.failure_timeout.count()));
    return;
  }
  complete_all(cause_);
  state_ = left_ ? State::ended : State::dead;
}

std::string Loop::dump() const {
  constexpr const char* states[] = {"working", "draining", "failing", "dead", "ended"};
  std::string text =
      fmt::format("rank {} of {} on {}: {}, {} pending, {} batches waiting for the executor\n", fabric_.world().rank,
                  fabric_.world().size, fabric_.world().hosts[static_cast<std::size_t>(fabric_.world().rank)],
                  states[static_cast<int>(state_)], pending_.size(), schedule_.waiting());
  if (!cause_.ok()) text += fmt::format("  cause: {}\n", cause_.message());
  constexpr std::size_t most_shown = 20;
  std::size_t shown = 0;
  pending_.for_each([&](controller::Token, const PendingTask& pending) {
    if (++shown > most_shown) return;
    text += fmt::format("  {} \"{}\": {}, {} bytes left\n", name_of(pending.task().request.kind), pending.task().name(),
                        pending.agreed ? "agreed" : "not agreed yet", pending.bytes_left);
  });
  return text + controller_.dump() + executor_.dump();
}

}  // namespace treering
