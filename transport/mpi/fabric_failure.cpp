// How an MpiFabric learns of failures, spreads them, and ends.

#include <algorithm>
#include <string>

#include "transport/deadline.h"
#include "transport/mpi/fabric.h"
#include "transport/mpi/runtime.h"
#include "transport/shm/process_handle.h"
#include "transport/sleep.h"

namespace treering::transport::mpi {

namespace {

constexpr std::chrono::seconds drain_timeout{2};
constexpr std::chrono::milliseconds flush_timeout{200};
constexpr Nanoseconds drain_nap = 100'000;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

bool MpiFabric::watch() {
  if (const std::optional<Status> told = node_.poisoned()) {
    poison(*told);
    return true;
  }
  if (look_soon_.exchange(false, std::memory_order_acquire) || RealClock().now() >= next_look_) look();
  return news_ && digest();
}

bool MpiFabric::digest() {
  news_ = false;
  bool moved = false;
  for (const int peer : std::exchange(heard_, {})) moved |= listen_to(peer, lines_.at(peer));
  for (std::size_t member = 0; member < members_.size() && cause_.ok(); ++member) {
    const bool expected = node_.block(static_cast<int>(member)).goodbye.load(std::memory_order_seq_cst) != 0;
    if (ended_[member] == 0 || expected) continue;
    moved = true;
    died(name_of(members_[member]) + " died");
  }
  return moved;
}

bool MpiFabric::listen_to(int peer, tcp::Line& line) {
  const std::uint64_t knocks = line.knocks();
  const bool moved = line.progress();
  if (line.knocks() > knocks) requests_.expect_progress();
  if (!line.cause().ok()) {
    poison(line.cause());
  } else if (line.broken()) {
    poison(Status(StatusCode::internal, name_of(peer) + " sent something that makes no sense on its TCP line"));
  } else if (!line.open() && !line.said_goodbye()) {
    died(name_of(peer) + " died (connection closed)");
  }
  return moved;
}

/// Whoever died may have said why just before.
void MpiFabric::died(const std::string& who) {
  poison(node_.poisoned().value_or(Status(StatusCode::rank_failed, who)));
}

std::string MpiFabric::name_of(int rank) const {
  const std::string& host = world_.hosts[at(rank)];
  const std::string number = "rank " + std::to_string(rank);
  if (world_.node_of[at(rank)] != world_.node()) return number + " on host " + host;
  const int pid = memory_.members[at(world_.local_rank_of(rank))].pid;
  return number + " (pid " + std::to_string(pid) + ") on host " + host;
}

void MpiFabric::poison(const Status& cause) {
  if (!cause_.ok()) return;
  cause_ = cause;
  node_.poison(cause);
  for (auto& [peer, line] : lines_) line.tell(cause);
  abandon_mpi();
}

bool MpiFabric::gone(int member) const {
  return node_.block(member).stopped.load(std::memory_order_seq_cst) != 0 || ended_[at(member)] != 0 ||
         shm::has_ended(memory_.members[at(member)].process);
}

bool MpiFabric::node_stopped() const {
  for (int member = 0; member < node_.size(); ++member)
    if (member != node_.self() && !gone(member)) return false;
  return true;
}

std::vector<int> MpiFabric::kill_unstopped() {
  std::vector<int> killed;
  for (int member = 0; member < node_.size(); ++member) {
    if (member == node_.self() || gone(member)) continue;
    shm::kill_process(memory_.members[at(member)].process);
    killed.push_back(members_[at(member)]);
  }
  return killed;
}

void MpiFabric::say_goodbye() {
  goodbye_ = true;
  node_.say_goodbye();
  for (auto& [peer, line] : lines_) line.say_goodbye();
  if (mpi_gone_ || !cause_.ok()) return;
  for (auto& [peer, remote] : remotes_) remote.channel->send_last();
}

MpiFabric::~MpiFabric() {
  if (!goodbye_)
    poison(Status(StatusCode::rank_failed, name_of(world_.rank) + " ended its engine without an agreed shutdown"));
  *alive_ = false;
  if (!mpi_gone_) let_go_of_mpi();
  const Deadline deadline(flush_timeout);
  for (auto& [peer, line] : lines_) line.flush(deadline);
}

/// The user calls MPI_Finalize: after this MPI does not exist any more.
void MpiFabric::finalizing() {
  const std::shared_ptr<bool> alive = alive_;  // shutting down may destroy the fabric
  if (const auto shut_down = std::exchange(shut_down_, nullptr)) shut_down();
  if (*alive && !mpi_gone_) let_go_of_mpi();
}

void MpiFabric::let_go_of_mpi() {
  mpi_gone_ = true;
  if (goodbye_ && cause_.ok() && usable() && drain()) {
    hook_.reset();
    communicators_->free();
    fabric_ended_well();
    return;
  }
  abandon_mpi();
  hook_->forget();
  memory_.segment.leak();  // posted receives may still write into slots there
}

void MpiFabric::abandon_mpi() {
  wire_.abandon();
  for (auto& [peer, remote] : remotes_) remote.channel->abandon();
}

/// Waits until every neighbour has sent its last frame, so that a later communicator cannot receive an earlier one's.
bool MpiFabric::drain() {
  const Deadline deadline(drain_timeout);
  const auto finished = [&] {
    return std::all_of(remotes_.begin(), remotes_.end(),
                       [](const auto& entry) { return entry.second.channel->last_received(); });
  };
  while (!finished()) {
    if (deadline.passed() || !requests_.status().ok()) return false;
    if (!requests_.poll()) poll_for({}, drain_nap);
    for (auto& [peer, edge] : edges_) edge->progress();
  }
  for (auto& [peer, remote] : remotes_) remote.channel->give_up_receives();
  return requests_.cancel_all(deadline.left());
}

}  // namespace treering::transport::mpi
