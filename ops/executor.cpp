#include "ops/executor.h"

#include <fmt/format.h>

#include <deque>

#include "base/check.h"
#include "ops/area.h"
#include "ops/lane_row.h"
#include "ops/trace.h"
#include "timeline/profiler.h"
#include "timeline/stopwatch.h"

namespace treering::ops {

std::size_t area_bytes(const topology::Plan& plan, const Tunables& tunables) {
  return AreaLayout(geometry_of(plan), tunables).bytes();
}

class Executor::Impl {
 public:
  Impl(const transport::World& world, const topology::Plan& plan, const Tunables& tunables, transport::NodeLink& node,
       transport::Wire& wire, timeline::Recorder& recorder, const Clock& clock)
      : wire_(wire), recorder_(recorder), stopwatch_(recorder, clock) {
    for (int device = 0; device < world.devices_of(world.rank); ++device)
      sites_.push_back(std::make_unique<Site>(world, plan, tunables, node, device));
    TREERING_CHECK(static_cast<int>(tunables.lanes) * site().channels() - 1 <= wire.max_tag(),
                   "fewer lanes or shares are needed for this message layer's tags");
    for (std::uint32_t i = 0; i < tunables.lanes; ++i)
      lanes_.push_back(std::make_unique<LaneRow>(sites_, i, wire, device::host_kernels(), stopwatch_));
  }

  void submit(Submission submission) { queue_.push_back({std::move(submission), stopwatch_.now()}); }

  bool step() {
    if (running_.empty() && queue_.empty()) return false;
    Budget budget;
    bool moved = poll_wire();
    moved |= grant();
    for (LaneRow* lane : running_) {
      moved |= lane->step(budget);
      if (lane->take_completion()) {
        timeline::profiler::end(lane->profiled());
        if (recorder_.enabled()) trace_batch(recorder_, *lane, stopwatch_.now());
        finished_.push_back({lane->submission().cookie, lane->path() == PathClass::mapped});
      }
      lane->give_back_ended();
    }
    std::erase_if(running_, [](const LaneRow* lane) { return !lane->held(); });
    return moved;
  }

  std::optional<Finished> next_finished() {
    if (finished_.empty()) return std::nullopt;
    const Finished finished = finished_.front();
    finished_.pop_front();
    return finished;
  }

  bool idle() const { return queue_.empty() && running_.empty() && finished_.empty(); }

  std::size_t running() const { return queue_.size() + running_.size(); }

  std::string dump() const {
    std::string text = fmt::format("executor: {} running, {} queued\n", running_.size(), queue_.size());
    for (const LaneRow* lane : running_) text += lane->dump();
    if (!queue_.empty() && !next_lane().held())
      text += fmt::format("  '{}' is next: {}\n", queue_.front().submission.label, next_lane().dump_missing());
    return text;
  }

 private:
  struct Queued {
    Submission submission;
    Nanoseconds since = 0;
  };

  /// The first member speaks for the rank.
  const Site& site() const { return *sites_.front(); }
  LaneRow& next_lane() const { return *lanes_[static_cast<std::size_t>(started_ % lanes_.size())]; }

  bool poll_wire() {
    for (const LaneRow* lane : running_)
      if (lane->communicates()) return wire_.poll();
    return false;
  }

  // Strictly in order: no program takes a lane while an earlier one lacks it.
  bool grant() {
    bool any = false;
    while (!queue_.empty() && !next_lane().held()) {
      if (!next_lane().returned()) {
        if (waits_) return any;
        // Say so, then look again: a member that gives the lane back afterwards sees the word and rings.
        site().waits_for_lane(true);
        waits_ = true;
        if (!next_lane().returned()) return any;
      }
      if (waits_) site().waits_for_lane(false);
      waits_ = false;
      LaneRow& lane = next_lane();
      lane.start(std::move(queue_.front().submission), started_++, queue_.front().since);
      queue_.pop_front();
      running_.push_back(&lane);
      any = true;
    }
    return any;
  }

  std::vector<std::unique_ptr<Site>> sites_;  // per member of this rank
  transport::Wire& wire_;
  timeline::Recorder& recorder_;
  const timeline::Stopwatch stopwatch_;
  std::vector<std::unique_ptr<LaneRow>> lanes_;
  std::deque<Queued> queue_;
  std::vector<LaneRow*> running_;  // in the order of submission
  std::deque<Finished> finished_;
  std::uint64_t started_ = 0;
  bool waits_ = false;
};

Executor::Executor(const transport::World& world, const topology::Plan& plan, const Tunables& tunables,
                   transport::NodeLink& node, transport::Wire& wire, timeline::Recorder& recorder, const Clock& clock)
    : impl_(std::make_unique<Impl>(world, plan, tunables, node, wire, recorder, clock)) {}
Executor::~Executor() = default;

void Executor::submit(Submission submission) { impl_->submit(std::move(submission)); }
bool Executor::step() { return impl_->step(); }
std::optional<Finished> Executor::next_finished() { return impl_->next_finished(); }
bool Executor::idle() const { return impl_->idle(); }
std::size_t Executor::running() const { return impl_->running(); }
std::string Executor::dump() const { return impl_->dump(); }

}  // namespace treering::ops
