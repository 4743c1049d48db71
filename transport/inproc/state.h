#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "transport/fabric.h"
#include "transport/inproc/mailbox.h"
#include "transport/mapping.h"
#include "transport/shared_node.h"

namespace treering::transport::inproc {

/// Everything that the ranks of one job share. Outlives every fabric.
class State {
 public:
  /// `devices` by rank; empty: all as in the options.
  State(int size, FabricOptions options, std::vector<int> devices = {});

  int size() const { return static_cast<int>(eventfds_.size()); }
  World world_of(int rank) const;
  const Bytes& root_settings() const { return root_settings_; }
  const std::vector<int>& neighbours_of(int rank) const { return neighbours_[static_cast<std::size_t>(rank)]; }
  SharedNode node_of(int rank) const;
  /// This rank's end of an edge between nodes.
  std::unique_ptr<FramedEdge> remote_edge(int rank, int peer) const;
  MemberBlock& block(int rank) const;
  Bell bell(int rank) const { return {&block(rank).bell, eventfds_[static_cast<std::size_t>(rank)].get()}; }
  Mailbox& mailbox(int rank) { return mailboxes_[static_cast<std::size_t>(rank)]; }

  /// Waits until every rank has called it. Throws Error at the deadline, naming the ranks that are missing.
  std::vector<Bytes> gather_all(int rank, const Bytes& mine);

  /// Marks a rank dead and wakes everybody who should notice.
  void kill(int rank);

 private:
  struct Node {
    SegmentLayout layout;
    Mapping segment;
    std::vector<Mapping> heaps;
  };
  /// One meeting of all ranks; the last one to come replaces it.
  struct Meeting {
    std::vector<Bytes> contributions;
    std::set<int> missing;
  };

  void make_world(int size, FabricOptions& options, std::vector<int> devices);
  void make_node(int node, const FabricOptions& options);
  void make_remote_rings();
  std::shared_ptr<Meeting> new_meeting() const;

  World world_;
  Adjacency neighbours_;
  std::chrono::milliseconds timeout_;
  std::size_t heap_bytes_ = 0;
  Bytes root_settings_;
  std::vector<int> local_rank_;
  std::vector<Node> nodes_;
  std::map<std::pair<int, int>, std::size_t> remote_rings_;  // (from, to) -> offset in remote_memory_
  Mapping remote_memory_;
  std::vector<UniqueFd> eventfds_;
  std::vector<Mailbox> mailboxes_;

  std::mutex mutex_;
  std::condition_variable all_met_;
  std::shared_ptr<Meeting> meeting_;  // guarded by mutex_
};

}  // namespace treering::transport::inproc
