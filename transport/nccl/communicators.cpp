#include "transport/nccl/communicators.h"

#include <algorithm>

namespace treering::transport {

namespace {

constexpr Nanoseconds watch_interval = 1'000'000;

std::string time_text(std::chrono::milliseconds time) { return std::to_string(time.count()) + " ms"; }

}  // namespace

Communicators::Communicators(DeviceCollectives& library, std::vector<CommunicatorSpec> specs,
                             const CollectiveDeadlines& deadlines, const Clock& clock)
    : library_(library), deadlines_(deadlines), clock_(clock) {
  for (CommunicatorSpec& spec : specs) {
    DeviceState& state = devices_[spec.device];
    state.device = spec.device;
    members_.push_back({std::move(spec), {}, false});
  }
  for (auto& [device, state] : devices_) {
    for (std::size_t i = 0; i < most_under_way; ++i) {
      device::Event event;
      const Status status = device->create_event(event);
      if (!status.ok()) throw Error(status);
      state.events.emplace_back(*device, event);
    }
  }
  since_ = clock_.now();
  create_all();
}

void Communicators::create_all() {
  bool refused = false;
  library_.begin_group();
  for (Member& member : members_) {
    const CommunicatorSpec& spec = member.spec;
    const CallState state = library_.create(spec.id, spec.rank, spec.size, *spec.device, spec.name, member.handle);
    member.exists = member.handle.handle != nullptr;
    refused = refused || state == CallState::failed || state == CallState::invalid_argument;
  }
  const CallState state = library_.end_group();
  if (refused || state == CallState::failed || state == CallState::invalid_argument) {
    std::string which = "a communicator";
    static_cast<void>(state_of_all(which));
    fail(StatusCode::unavailable, "cannot be created: " + which);
  }
}

bool Communicators::step() {
  switch (phase_) {
    case Phase::creating: return step_creating();
    case Phase::ready: return step_ready();
    case Phase::ending: return step_ending();
    case Phase::aborting: return step_aborting();
    case Phase::ended:
    case Phase::aborted: return false;
  }
  return false;
}

/// The worst state of all, and whose it is with what the library says.
CallState Communicators::state_of_all(std::string& which) {
  CallState worst = CallState::success;
  for (const Member& member : members_) {
    if (!member.exists) continue;
    const CallState state = library_.state(member.handle);
    if (state == CallState::success || (state == CallState::in_progress && worst != CallState::success)) continue;
    worst = state == CallState::in_progress ? state : CallState::failed;
    which = member.spec.name;
    if (worst == CallState::failed) {
      which += " (" + library_.describe_error(member.handle) + ")";
      return worst;
    }
  }
  return worst;
}

bool Communicators::step_creating() {
  std::string which;
  const CallState state = state_of_all(which);
  if (state == CallState::failed) {
    fail(StatusCode::unavailable, "cannot be created: " + which);
  } else if (state == CallState::success) {
    phase_ = Phase::ready;
  } else {
    return !in_time(since_, deadlines_.create, "creating " + which);
  }
  return true;
}

bool Communicators::step_ready() {
  bool moved = false;
  if (in_progress_) moved = poll_issued();
  while (phase_ == Phase::ready && !in_progress_ && issued_ < std::min(tickets_.size(), most_under_way) && issue())
    moved = true;
  if (phase_ == Phase::ready) moved = retire() || moved;
  if (phase_ == Phase::ready) watch();
  if (phase_ == Phase::ready && ending_ && tickets_.empty()) {
    phase_ = Phase::ending;
    since_ = clock_.now();
    moved = true;
  }
  return moved || phase_ == Phase::aborting;
}

Communicators::DeviceState& Communicators::state_of(const CollectiveCall& call) {
  return devices_.at(members_[call.communicator].spec.device);
}

/// Work of another communicator on the same device comes first, all of it.
bool Communicators::prepare(const CollectiveCall& call) {
  DeviceState& state = state_of(call);
  if (!state.busy || state.last_communicator == call.communicator) return true;
  return check(state.device->wait(call.stream, state.last), "wait for the collective before");
}

bool Communicators::issue() {
  Ticket& ticket = tickets_[issued_];
  for (const CollectiveCall& call : ticket.calls)
    if (!prepare(call)) return false;
  bool refused = false;
  library_.begin_group();
  for (const CollectiveCall& call : ticket.calls) {
    const CallState state = library_.all_reduce(members_[call.communicator].handle, call.input, call.output,
                                                call.elements, call.type, call.op, call.stream);
    refused = refused || state == CallState::failed || state == CallState::invalid_argument;
  }
  const CallState state = library_.end_group();
  ticket.since = clock_.now();
  ++issued_;
  in_progress_ = true;
  if (refused || state == CallState::failed || state == CallState::invalid_argument) {
    std::string which = names(ticket.calls);
    static_cast<void>(state_of_all(which));
    fail(StatusCode::internal, "cannot call a collective: " + which);
    return false;
  }
  if (state == CallState::success) return record(ticket);
  return true;
}

/// Asks for every member of the call, because each goes on only when it is asked.
bool Communicators::poll_issued() {
  Ticket& ticket = tickets_[issued_ - 1];
  CallState worst = CallState::success;
  for (const CollectiveCall& call : ticket.calls) {
    const Member& member = members_[call.communicator];
    const CallState state = library_.state(member.handle);
    if (state == CallState::success) continue;
    if (state != CallState::in_progress) {
      fail(StatusCode::rank_failed,
           "failed: " + member.spec.name + " (" + library_.describe_error(member.handle) + ")");
      return true;
    }
    worst = state;
  }
  if (worst == CallState::success) return record(ticket);
  return !in_time(ticket.since, deadlines_.call, "a call on " + names(ticket.calls));
}

/// The call is no longer in progress: only now may an event follow it.
bool Communicators::record(Ticket& ticket) {
  for (const CollectiveCall& call : ticket.calls) {
    DeviceState& state = state_of(call);
    const device::Event event = state.events[state.next_event++ % state.events.size()].get();
    if (!check(state.device->record(event, call.stream), "record the end of a collective")) return false;
    ticket.events.push_back(event);
    state.last = event;
    state.last_communicator = call.communicator;
    state.busy = true;
  }
  ticket.since = clock_.now();
  in_progress_ = false;
  ++launched_;
  return true;
}

bool Communicators::retire() {
  bool moved = false;
  while (has_launched_work()) {
    const Ticket& ticket = tickets_.front();
    bool done = true;
    for (std::size_t i = 0; i < ticket.calls.size(); ++i) {
      device::Device& device = *members_[ticket.calls[i].communicator].spec.device;
      const device::Progress found = device.query(ticket.events[i]);
      if (found == device::Progress::failed) {
        check(device.error(), "finish a collective");
        return true;
      }
      done = done && found == device::Progress::done;
    }
    if (!done) break;
    tickets_.pop_front();
    --issued_;
    ++done_;
    retired_ = clock_.now();
    moved = true;
  }
  return moved;
}

/// Errors after the launch, and work that is never done.
void Communicators::watch() {
  const Nanoseconds now = clock_.now();
  if (now - watched_ < watch_interval || tickets_.empty()) return;
  watched_ = now;
  std::string which;
  if (state_of_all(which) == CallState::failed) {
    fail(StatusCode::rank_failed, "failed: " + which);
    return;
  }
  if (!has_launched_work()) return;
  const Ticket& oldest = tickets_.front();
  const Nanoseconds since = std::max(oldest.since, retired_);
  static_cast<void>(in_time(since, deadlines_.finish, "a collective on " + names(oldest.calls)));
}

std::uint64_t Communicators::launch(std::span<const CollectiveCall> calls) {
  if (phase_ != Phase::aborting && phase_ != Phase::aborted) {
    Ticket& ticket = tickets_.emplace_back();
    ticket.calls.assign(calls.begin(), calls.end());
    ticket.events.reserve(calls.size());
  }
  return ++last_;
}

void Communicators::end() { ending_ = true; }

bool Communicators::step_ending() {
  if (!finalizing_) {
    library_.begin_group();
    for (const Member& member : members_) static_cast<void>(library_.finalize(member.handle));
    static_cast<void>(library_.end_group());
    finalizing_ = true;
  }
  std::string which;
  const CallState state = state_of_all(which);
  if (state == CallState::in_progress) return !in_time(since_, deadlines_.end, "ending " + which);
  if (state == CallState::failed) {
    fail(StatusCode::rank_failed, "cannot be ended: " + which);
    return true;
  }
  for (Member& member : members_) {
    library_.destroy(member.handle);
    member.exists = false;
  }
  phase_ = Phase::ended;
  return true;
}

bool Communicators::in_time(Nanoseconds since, std::chrono::milliseconds limit, const std::string& what) {
  const Nanoseconds waited = clock_.now() - since;
  if (limit.count() == 0 || waited < std::chrono::nanoseconds(limit).count()) return true;
  fail(StatusCode::timed_out, "waited " + time_text(limit) + " for " + what);
  return false;
}

bool Communicators::check(const Status& status, const std::string& action) {
  if (!status.ok()) fail(status.code(), "cannot " + action + ": " + status.message());
  return status.ok();
}

void Communicators::fail(StatusCode code, const std::string& what) {
  abort({code, "collectives between devices: " + what});
}

void Communicators::abort(const Status& cause) {
  if (phase_ == Phase::ended || phase_ == Phase::aborting || phase_ == Phase::aborted) return;
  failure_ = cause;
  phase_ = Phase::aborting;
  begin_abort();
}

void Communicators::begin_abort() {
  since_ = clock_.now();
  tickets_.clear();
  issued_ = 0;
  in_progress_ = false;
  for (const Member& member : members_)
    if (member.exists) library_.begin_abort(member.handle);
}

bool Communicators::step_aborting() {
  bool moved = false;
  bool all = true;
  for (Member& member : members_) {
    if (!member.exists) continue;
    member.exists = library_.abort_state(member.handle) != CallState::success;
    moved = moved || !member.exists;
    all = all && !member.exists;
  }
  const bool late = clock_.now() - since_ >= std::chrono::nanoseconds(deadlines_.abort).count();
  if (!all && !late) return moved;
  for (const Member& member : members_)
    if (member.exists) left_behind_.push_back(member.spec.name);
  phase_ = Phase::aborted;
  return true;
}

std::string Communicators::names(std::span<const CollectiveCall> calls) const {
  return calls.empty() ? "nothing" : members_[calls.front().communicator].spec.name;
}

}  // namespace treering::transport
