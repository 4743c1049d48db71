#include "transport/sim/collectives.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace treering::transport::sim {

namespace {

std::uint64_t number_of(DeviceCommunicator communicator) {
  return reinterpret_cast<std::uint64_t>(communicator.handle);
}

}  // namespace

Collectives::~Collectives() {
  // What is left was neither destroyed nor aborted: its kernels must not keep a device for ever.
  for (auto& [number, member] : members_) member.group->aborted = true;
}

Status Collectives::draw_id(CommunicatorId& id) { return Board::create(id, drawn_.emplace_back()); }

CallState Collectives::refuse(std::string what) {
  misuses_.push_back(std::move(what));
  return CallState::invalid_argument;
}

Collectives::Member* Collectives::find(DeviceCommunicator communicator, const char* call) {
  const auto found = members_.find(number_of(communicator));
  if (found != members_.end()) return &found->second;
  static_cast<void>(refuse(std::string(call) + " is called for a communicator that does not exist (any more)"));
  return nullptr;
}

void Collectives::begin_group() { ++group_depth_; }

CallState Collectives::end_group() {
  if (group_depth_ == 0) return refuse("a group is ended that was not begun");
  if (--group_depth_ > 0) return CallState::success;
  CallState worst = std::exchange(group_error_, CallState::success);
  for (const DeviceCommunicator communicator : std::exchange(grouped_, {})) {
    const CallState found = state(communicator);
    if (found == CallState::failed || (found == CallState::in_progress && worst == CallState::success)) worst = found;
  }
  return worst;
}

/// Takes the call in; outside a group it goes on at once.
CallState Collectives::begin(DeviceCommunicator communicator, Member& member, Step step) {
  constexpr std::uint64_t most = 6;
  member.step = step;
  member.patience = step == Step::calling && member.connected ? random_() % most / 2 : 1 + random_() % most;
  if (group_depth_ > 0) {
    grouped_.push_back(communicator);
    return CallState::success;
  }
  return state(communicator);
}

CallState Collectives::create(const CommunicatorId& id, int rank, int size, device::Device& device,
                              const std::string& name, DeviceCommunicator& communicator) {
  // A number in the clothes of a pointer, which nobody follows.
  communicator.handle = std::bit_cast<void*>(++last_handle_);
  Member& member = members_[last_handle_];
  member.group = std::make_shared<Membership>();
  Membership& group = *member.group;
  group.rank = rank;
  group.size = size;
  group.name = name;
  group.device = dynamic_cast<device::sim::SimDevice*>(&device);
  const Status status = Board::open(id, group.board);
  if (!status.ok()) return fail(member, status.message());
  if (group.device == nullptr || size < 1 || size > Board::most_members || rank < 0 || rank >= size)
    return fail(member, "member " + std::to_string(rank) + " of " + std::to_string(size) + " makes no sense");
  pid_t free_seat = 0;
  if (!group.board.seat(rank).pid.compare_exchange_strong(free_seat, ::getpid()))
    return fail(member, "member " + std::to_string(rank) + " joins twice");
  return begin(communicator, member, Step::creating);
}

CallState Collectives::all_reduce(DeviceCommunicator communicator, const std::byte* input, std::byte* output,
                                  std::size_t elements, DataType type, ReduceOp op, device::Stream stream) {
  Member* const member = find(communicator, "all_reduce");
  if (member == nullptr) return CallState::invalid_argument;
  if (member->failed) return CallState::failed;
  if (member->step != Step::idle) return refuse("all_reduce is called before the last call has ended");
  if (op == ReduceOp::average) return refuse("all_reduce does not average");
  member->call = {input, output, elements, type, op, false, {elements, type, op, {}, 0}};
  member->stream = stream;
  if (has_fault(*member, CollectiveFault::Kind::refused, member->calls)) return fail(*member, "a fault on purpose");
  const Status status = elements == 0 ? Status()
                                      : member->group->device->locate(input, member->call.announced.memory,
                                                                      member->call.announced.offset);
  if (!status.ok()) return refuse(status.message());
  Seat& seat = member->group->board.seat(member->group->rank);
  seat.called.store(member->calls + 1);
  return begin(communicator, *member, Step::calling);
}

CallState Collectives::finalize(DeviceCommunicator communicator) {
  Member* const member = find(communicator, "finalize");
  if (member == nullptr) return CallState::invalid_argument;
  if (member->failed) return CallState::failed;
  if (member->step != Step::idle) return refuse("finalize is called before the last call has ended");
  member->group->board.seat(member->group->rank).finalizing.store(1);
  return begin(communicator, *member, Step::finalizing);
}

CallState Collectives::state(DeviceCommunicator communicator) {
  Member* const member = find(communicator, "state");
  if (member == nullptr) return CallState::invalid_argument;
  if (member->group->broken) return fail(*member, "the members call different things");
  if (member->late > 0 && --member->late == 0) return fail(*member, "an error after the launch (a fault on purpose)");
  if (member->failed) return CallState::failed;
  if (member->step == Step::idle || member->step == Step::finalized) return CallState::success;
  if (member->patience > 0) {
    --member->patience;
    return CallState::in_progress;
  }
  return advance(*member);
}

CallState Collectives::advance(Member& member) {
  Membership& group = *member.group;
  const Board& board = group.board;
  switch (member.step) {
    case Step::creating:
      if (!board.all_joined(group.size)) return CallState::in_progress;
      member.step = Step::idle;
      return CallState::success;
    case Step::calling:
      // The first collective connects the members, which takes all of them.
      if (!member.connected && !board.all(group.size, &Seat::called, 1)) return CallState::in_progress;
      member.connected = true;
      return launch(member);
    case Step::finalizing:
      if (!board.all_finalizing(group.size) || group.finished < member.calls) return CallState::in_progress;
      member.step = Step::finalized;
      return CallState::success;
    default: return CallState::in_progress;
  }
}

CallState Collectives::launch(Member& member) {
  constexpr std::uint64_t most = 6;
  AllReduce call = member.call;
  call.stuck = has_fault(member, CollectiveFault::Kind::late, member.calls);
  if (call.stuck) member.late = 1 + random_() % most;
  auto task = std::make_shared<AllReduceTask>(member.group, call, member.calls++);
  member.step = Step::idle;
  const Status status = member.group->device->launch(member.stream, std::move(task));
  return status.ok() ? CallState::success : fail(member, status.message());
}

CallState Collectives::fail(Member& member, std::string why) {
  if (member.error.empty()) member.error = std::move(why);
  member.failed = true;
  if (group_depth_ > 0) group_error_ = CallState::failed;
  return CallState::failed;
}

bool Collectives::has_fault(const Member& member, CollectiveFault::Kind kind, std::uint64_t at) const {
  return std::ranges::any_of(faults_, [&](const CollectiveFault& fault) {
    return fault.kind == kind && fault.communicator == member.group->name && fault.at == at;
  });
}

std::string Collectives::describe_error(DeviceCommunicator communicator) {
  Member* const member = find(communicator, "describe_error");
  return member == nullptr ? "no such communicator" : member->error;
}

void Collectives::destroy(DeviceCommunicator communicator) {
  Member* const member = find(communicator, "destroy");
  if (member == nullptr) return;
  if (member->step != Step::finalized) {
    static_cast<void>(refuse("a communicator is destroyed before finalize has succeeded"));
    return;
  }
  members_.erase(number_of(communicator));
}

void Collectives::begin_abort(DeviceCommunicator communicator) {
  Member* const member = find(communicator, "begin_abort");
  if (member == nullptr) return;
  member->step = Step::aborting;
  member->failed = true;
  member->group->aborted = true;
  member->patience = random_() % 4;
  if (has_fault(*member, CollectiveFault::Kind::endless_abort, 0)) member->patience = ~std::uint64_t{0};
  if (member->group->board.is_open()) member->group->board.seat(member->group->rank).aborted.store(1);
}

CallState Collectives::abort_state(DeviceCommunicator communicator) {
  Member* const member = find(communicator, "abort_state");
  if (member == nullptr || member->step != Step::aborting) return CallState::invalid_argument;
  if (member->patience > 0) {
    --member->patience;
    return CallState::in_progress;
  }
  const Membership& group = *member->group;
  if (group.board.is_open() && !group.board.all_aborted(group.size)) return CallState::in_progress;
  members_.erase(number_of(communicator));
  return CallState::success;
}

}  // namespace treering::transport::sim
