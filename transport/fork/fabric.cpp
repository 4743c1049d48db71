#include "transport/fork/fabric.h"

#include <string>

#include "base/check.h"
#include "transport/fork/hub.h"
#include "transport/shm/process_handle.h"
#include "transport/sleep.h"

namespace treering::transport::fork {

namespace {

/// How often the process handles are looked at while the engine does not sleep; each look is a system call.
constexpr Nanoseconds look_interval = 1'000'000;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::vector<int> eventfds_of(const shm::NodeMemory& memory) {
  std::vector<int> eventfds;
  for (const shm::MemberDescriptors& member : memory.members) eventfds.push_back(member.eventfd.get());
  return eventfds;
}

std::vector<std::byte*> heaps_of(const shm::NodeMemory& memory) {
  std::vector<std::byte*> heaps;
  for (const Mapping& heap : memory.heaps) heaps.push_back(heap.data());
  return heaps;
}

}  // namespace

Wire::Ticket NoWire::send(int, int, const std::byte*, std::size_t) {
  TREERING_CHECK(false, "a forked job has one node, so nothing is sent between nodes");
  return 0;
}

Wire::Ticket NoWire::receive(int, int, std::byte*, std::size_t) {
  TREERING_CHECK(false, "a forked job has one node, so nothing is received between nodes");
  return 0;
}

ForkFabric::ForkFabric(Parts parts)
    : seat_(std::move(parts.seat)),
      world_(std::move(parts.world)),
      memory_(std::move(parts.memory)),
      root_settings_(std::move(parts.root_settings)),
      timeout_(parts.timeout),
      node_(world_.rank, std::move(parts.layout), memory_.segment.data(), eventfds_of(memory_), heaps_of(memory_),
            parts.heap_bytes),
      ended_(at(world_.size)) {
  own_heap_ = std::make_shared<Mapping>(std::move(memory_.heaps[at(node_.self())]));
  for (const int peer : parts.neighbours) edges_[peer] = node_.edge(peer, peer);
}

ForkFabric::~ForkFabric() {
  if (!goodbye_)
    poison(Status(StatusCode::rank_failed, name_of(world_.rank) + " ended its engine without an agreed shutdown"));
}

MessageEdge& ForkFabric::edge(int peer) {
  const auto found = edges_.find(peer);
  TREERING_CHECK(found != edges_.end(), "only neighbours named at start have an edge");
  return *found->second;
}

std::vector<Bytes> ForkFabric::gather_all(const Bytes& mine) {
  if (!cause_.ok()) throw Error(cause_);
  return gather_over(seat_, mine, Deadline(timeout_));
}

bool ForkFabric::progress() {
  if (!cause_.ok()) return false;
  bool moved = watch();
  for (auto& [peer, edge] : edges_) {
    if (!cause_.ok()) return true;
    moved |= edge->progress();
    if (!edge->status().ok()) poison(edge->status());
  }
  return moved;
}

bool ForkFabric::watch() {
  if (const std::optional<Status> told = node_.poisoned()) {
    poison(*told);
    return true;
  }
  if (look_soon_.exchange(false, std::memory_order_acquire) || RealClock().now() >= next_look_) look();
  if (!std::exchange(news_, false)) return false;
  for (int member = 0; member < node_.size() && cause_.ok(); ++member) {
    const bool expected = node_.block(member).goodbye.load(std::memory_order_seq_cst) != 0;
    // Whoever died may have said why just before.
    if (ended_[at(member)] != 0 && !expected)
      poison(node_.poisoned().value_or(Status(StatusCode::rank_failed, name_of(member) + " died")));
  }
  return !cause_.ok();
}

void ForkFabric::list_awaited(std::vector<pollfd>& entries) const {
  entries.assign(1, {node_.bell().eventfd(), POLLIN, 0});
  for (int member = 0; member < node_.size(); ++member)
    if (watches(member)) entries.push_back({memory_.members[at(member)].process.get(), POLLIN, 0});
}

/// While the engine thread slept the kernel has watched for it.
void ForkFabric::begin_turns() { next_look_ = RealClock().now() + look_interval; }

void ForkFabric::look() {
  next_look_ = RealClock().now() + look_interval;
  list_awaited(looked_at_);
  if (!poll_for(looked_at_, 0)) return;
  auto entry = looked_at_.begin() + 1;
  for (int member = 0; member < node_.size(); ++member)
    if (watches(member) && (entry++)->revents != 0) ended_[at(member)] = 1;
  news_ = true;
}

void ForkFabric::poison(const Status& cause) {
  if (!cause_.ok()) return;
  cause_ = cause;
  node_.poison(cause);
}

std::string ForkFabric::name_of(int member) const {
  return "rank " + std::to_string(member) + " (pid " + std::to_string(memory_.members[at(member)].pid) + ")";
}

bool ForkFabric::gone(int member) const {
  return node_.block(member).stopped.load(std::memory_order_seq_cst) != 0 || ended_[at(member)] != 0 ||
         shm::has_ended(memory_.members[at(member)].process);
}

bool ForkFabric::node_stopped() const {
  for (int member = 0; member < node_.size(); ++member)
    if (member != node_.self() && !gone(member)) return false;
  return true;
}

std::vector<int> ForkFabric::kill_unstopped() {
  std::vector<int> killed;
  for (int member = 0; member < node_.size(); ++member) {
    if (member == node_.self() || gone(member)) continue;
    shm::kill_process(memory_.members[at(member)].process);
    killed.push_back(member);
  }
  return killed;
}

void ForkFabric::say_goodbye() {
  goodbye_ = true;
  node_.say_goodbye();
}

}  // namespace treering::transport::fork
