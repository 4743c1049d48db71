#include "transport/mpi/fabric.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/check.h"
#include "transport/mpi/runtime.h"
#include "transport/sleep.h"

namespace treering::transport::mpi {

namespace {

/// How often the sockets and process handles are looked at while the engine does not sleep; each look is a system call.
constexpr Nanoseconds look_interval = 1'000'000;

/// How long a rank whose neighbours cannot wake it may sleep.
constexpr Nanoseconds sleep_without_knocks = 10'000'000;

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

bool several_hosts(const World& world) { return std::set(world.hosts.begin(), world.hosts.end()).size() > 1; }

}  // namespace

MpiFabric::MpiFabric(Parts parts)
    : world_(std::move(parts.world)),
      communicators_(std::move(parts.communicators)),
      memory_(std::move(parts.memory)),
      root_settings_(std::move(parts.root_settings)),
      members_(world_.ranks_of(world_.node())),
      node_(world_.local_rank_of(world_.rank), std::move(parts.layout), memory_.segment.data(), eventfds_of(memory_),
            heaps_of(memory_), parts.heap_bytes),
      lines_(std::move(parts.lines)),
      wire_(*communicators_, requests_),
      ended_(members_.size()) {
  own_heap_ = std::make_shared<Mapping>(std::move(memory_.heaps[at(node_.self())]));
  for (const int peer : parts.neighbours) make_edge(peer);
  hook_ = std::make_unique<FinalizeHook>([this] { finalizing(); });
  fabric_started(several_hosts(world_));
}

void MpiFabric::make_edge(int peer) {
  if (world_.node_of[at(peer)] == world_.node()) {
    edges_[peer] = node_.edge(world_.local_rank_of(peer), peer);
    return;
  }
  const auto line = lines_.find(peer);
  tcp::Line* const knocks = line == lines_.end() ? nullptr : &line->second;
  if (knocks == nullptr) every_line_there_ = false;
  auto channel = std::make_unique<MpiFrameChannel>(*communicators_, requests_, peer, knocks);
  remotes_[peer] = {channel.get(), knocks};
  edges_[peer] = std::make_unique<FramedEdge>(peer, std::move(channel));
}

std::vector<Bytes> MpiFabric::gather_all(const Bytes& mine) {
  if (!cause_.ok()) throw Error(cause_);
  return communicators_->gather_all(mine);
}

MessageEdge& MpiFabric::edge(int peer) {
  const auto found = edges_.find(peer);
  TREERING_CHECK(found != edges_.end(), "only neighbours named at start have an edge");
  return *found->second;
}

bool MpiFabric::progress() {
  if (!cause_.ok()) return false;
  bool moved = watch();
  if (!cause_.ok() || mpi_gone_) return moved;
  moved |= requests_.poll();
  if (!requests_.status().ok()) poison(requests_.status());
  if (!wire_.status().ok()) poison(wire_.status());
  for (auto& [peer, edge] : edges_) {
    if (!cause_.ok()) return true;
    moved |= edge->progress();
    if (!edge->status().ok()) poison(edge->status());
  }
  for (auto& [peer, remote] : remotes_)
    if (cause_.ok() && !remote.channel->status().ok()) poison(remote.channel->status());
  return moved;
}

bool MpiFabric::awaits_frames() const {
  return std::any_of(remotes_.begin(), remotes_.end(),
                     [](const auto& entry) { return entry.second.channel->frames_awaited(); });
}

std::optional<Nanoseconds> MpiFabric::longest_sleep() const {
  if (!cause_.ok() || mpi_gone_) return std::nullopt;
  const std::optional<Nanoseconds> limit = requests_.longest_sleep(awaits_frames());
  if (!limit && !every_line_there_) return sleep_without_knocks;
  return limit;
}

bool MpiFabric::watches(std::size_t member) const { return members_[member] != world_.rank && ended_[member] == 0; }

bool MpiFabric::watches(const tcp::Line& line) const { return line.open() && (cause_.ok() || line.unsent()); }

void MpiFabric::list_awaited(std::vector<pollfd>& entries) const {
  entries.assign(1, {node_.bell().eventfd(), POLLIN, 0});
  for (std::size_t member = 0; member < members_.size(); ++member)
    if (watches(member)) entries.push_back({memory_.members[member].process.get(), POLLIN, 0});
  for (const auto& [peer, line] : lines_)
    if (watches(line)) entries.push_back(line.poll_entry());
}

/// While the engine thread slept the kernel has watched for it.
void MpiFabric::begin_turns() {
  requests_.begin_burst();
  next_look_ = RealClock().now() + look_interval;
}

void MpiFabric::look() {
  next_look_ = RealClock().now() + look_interval;
  list_awaited(looked_at_);
  if (!poll_for(looked_at_, 0)) return;
  auto entry = looked_at_.begin() + 1;
  for (std::size_t member = 0; member < members_.size(); ++member)
    if (watches(member)) ended_[member] = static_cast<char>((entry++)->revents != 0);
  heard_.clear();
  for (const auto& [peer, line] : lines_)
    if (watches(line) && (entry++)->revents != 0) heard_.push_back(peer);
  news_ = true;
}

}  // namespace treering::transport::mpi
