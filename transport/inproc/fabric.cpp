#include "transport/inproc/fabric.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "transport/inproc/job.h"

namespace treering::transport::inproc {

InprocFabric::InprocFabric(std::shared_ptr<State> state, int rank)
    : state_(std::move(state)),
      world_(state_->world_of(rank)),
      node_(state_->node_of(rank)),
      wire_(*state_, rank),
      members_(world_.ranks_of(world_.node())) {
  for (const int member : members_)
    if (member != rank) watched_.push_back(member);
  for (const int peer : state_->neighbours_of(rank)) {
    const bool local = world_.node_of[static_cast<std::size_t>(peer)] == world_.node();
    edges_[peer] = local ? node_.edge(world_.local_rank_of(peer), peer) : state_->remote_edge(rank, peer);
    if (!local) watched_.push_back(peer);
  }
}

InprocFabric::~InprocFabric() {
  const bool killed = state_->block(world_.rank).dead.load() != 0;
  if (!goodbye_ && !killed)
    poison(Status(StatusCode::rank_failed,
                  "rank " + std::to_string(world_.rank) + " ended its engine without an agreed shutdown"));
}

MessageEdge& InprocFabric::edge(int peer) {
  const auto found = edges_.find(peer);
  TREERING_CHECK(found != edges_.end(), "only neighbours named at start have an edge");
  return *found->second;
}

bool InprocFabric::progress() {
  if (!cause_.ok()) return false;
  bool moved = watch_for_failure();
  for (auto& [peer, edge] : edges_) {
    moved |= edge->progress();
    if (!edge->status().ok()) poison(edge->status());
  }
  moved |= wire_.poll();
  if (!wire_.status().ok()) poison(wire_.status());
  return moved;
}

bool InprocFabric::watch_for_failure() {
  if (const std::optional<Status> told = node_.poisoned()) {
    poison(*told);
    return true;
  }
  for (const int rank : watched_) {
    if (!ended_badly(rank)) continue;
    poison(Status(StatusCode::rank_failed, "rank " + std::to_string(rank) + " on host " +
                                               world_.hosts[static_cast<std::size_t>(rank)] + " died"));
    return true;
  }
  return false;
}

bool InprocFabric::ended_badly(int rank) const {
  const MemberBlock& block = state_->block(rank);
  return block.dead.load(std::memory_order_seq_cst) != 0 && block.goodbye.load(std::memory_order_seq_cst) == 0;
}

void InprocFabric::poison(const Status& cause) {
  if (!cause_.ok()) return;
  cause_ = cause;
  node_.poison(cause);
  for (const auto& [peer, edge] : edges_) {
    put_cause(state_->block(peer).failure, cause);
    state_->bell(peer).ring();
  }
}

bool InprocFabric::gone(int rank) const {
  const MemberBlock& block = state_->block(rank);
  return block.stopped.load(std::memory_order_seq_cst) != 0 || block.dead.load(std::memory_order_seq_cst) != 0;
}

bool InprocFabric::node_stopped() const {
  return std::all_of(members_.begin(), members_.end(), [&](int rank) { return rank == world_.rank || gone(rank); });
}

std::vector<int> InprocFabric::kill_unstopped() {
  std::vector<int> killed;
  for (const int rank : members_) {
    if (rank == world_.rank || gone(rank)) continue;
    killed.push_back(rank);
    state_->kill(rank);
  }
  return killed;
}

void InprocFabric::say_goodbye() {
  goodbye_ = true;
  node_.say_goodbye();
}

Job::Job(int size, const FabricOptions& options, const std::vector<int>& devices)
    : state_(std::make_shared<State>(size, options, devices)) {}
Job::~Job() = default;

std::unique_ptr<Fabric> Job::fabric(int rank) { return std::make_unique<InprocFabric>(state_, rank); }
void Job::kill(int rank) { state_->kill(rank); }

std::vector<std::unique_ptr<Fabric>> make_fabrics(int size, const FabricOptions& options,
                                                  const std::vector<int>& devices) {
  Job job(size, options, devices);
  std::vector<std::unique_ptr<Fabric>> fabrics;
  for (int rank = 0; rank < size; ++rank) fabrics.push_back(job.fabric(rank));
  return fabrics;
}

}  // namespace treering::transport::inproc
