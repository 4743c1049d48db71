#include <algorithm>

#include "controller/impl.h"

namespace treering::controller {
namespace {

constexpr std::size_t most_reports = 32;

}  // namespace

std::optional<Nanoseconds> Controller::Impl::oldest() const {
  std::optional<Nanoseconds> oldest = vertex_.oldest();
  if (!root_ || root_->open().empty()) return oldest;
  const Nanoseconds spelled = root_->open().front().since;
  return oldest ? std::min(*oldest, spelled) : spelled;
}

std::vector<Stalled> Controller::Impl::incomplete(Nanoseconds age) const {
  std::vector<Stalled> sets;
  for (StallReport& report : vertex_.stalled(now_, age, most_reports))
    sets.push_back({&book_.find(report.id)->request, std::move(report.missing),
                    static_cast<Nanoseconds>(report.waiting_ms) * 1'000'000});
  for (const Root::Open& open : root_->open()) {
    if (now_ - open.since < age || sets.size() >= 2 * most_reports) break;
    sets.push_back({open.ranked.post.request.get(), RankSet::all(size_).without(open.ranked.ranks), now_ - open.since});
  }
  std::sort(sets.begin(), sets.end(), [](const Stalled& a, const Stalled& b) {
    if (a.waiting != b.waiting) return a.waiting > b.waiting;
    return a.request->tensors.front().name < b.request->tensors.front().name;
  });
  return sets;
}

bool Controller::Impl::watch() {
  const auto since = oldest();
  if (dead_ || !since) return false;
  const auto report = watch_.report_due(since);
  const auto abort = root_ ? watch_.abort_due(since) : std::nullopt;
  if (abort && now_ >= *abort) {
    dead_ = true;
    events_.emplace_back(
        Fatal{Status(StatusCode::timed_out, stall_text(incomplete(watch_.abort_age()), incomplete(0), size_) +
                                                "; the stall deadline has passed (TREERING_STALL_ABORT_MS)")});
    return true;
  }
  if (!report || now_ < *report) return false;
  watch_.reported(now_);
  if (root_) {
    events_.emplace_back(StallNotice{stall_text(incomplete(watch_.age()), incomplete(0), size_)});
  } else {
    vertex_.report(now_, watch_.age(), most_reports);
  }
  return true;
}

std::optional<Nanoseconds> Controller::Impl::next_timer() const {
  if (dead_ || ended_) return std::nullopt;
  const auto since = oldest();
  const auto report = watch_.report_due(since);
  const auto abort = root_ ? watch_.abort_due(since) : std::nullopt;
  if (!report || !abort) return report ? report : abort;
  return std::min(*report, *abort);
}

}  // namespace treering::controller
