#pragma once

#include <map>
#include <memory>
#include <vector>

#include "transport/inproc/state.h"
#include "transport/inproc/wire.h"

namespace treering::transport::inproc {

/// One rank of an inproc::Job.
class InprocFabric final : public Fabric {
 public:
  InprocFabric(std::shared_ptr<State> state, int rank);
  ~InprocFabric() override;

  const World& world() const override { return world_; }
  NodeLink& node() override { return node_; }
  Wire& wire() override { return wire_; }
  MessageEdge& edge(int peer) override;
  const Bytes& root_settings() const override { return state_->root_settings(); }
  std::shared_ptr<void> heap_owner() const override { return state_; }
  std::vector<Bytes> gather_all(const Bytes& mine) override { return state_->gather_all(world_.rank, mine); }

  bool progress() override;
  void ring_self() override { node_.bell().ring(); }
  const Bell& bell() const override { return node_.bell(); }
  std::optional<Nanoseconds> longest_sleep() const override { return std::nullopt; }
  void list_awaited(std::vector<pollfd>& entries) const override {
    entries.assign(1, {node_.bell().eventfd(), POLLIN, 0});
  }

  void poison(const Status& cause) override;
  Status poisoned() const override { return cause_; }
  void declare_stopped() override { node_.declare_stopped(); }
  bool node_stopped() const override;
  std::vector<int> kill_unstopped() override;

  void say_goodbye() override;

 private:
  bool watch_for_failure();
  bool ended_badly(int rank) const;
  bool gone(int rank) const;

  std::shared_ptr<State> state_;
  World world_;
  SharedNode node_;
  MailboxWire wire_;
  std::map<int, std::unique_ptr<FramedEdge>> edges_;
  std::vector<int> watched_;  // ranks whose death this one would notice: its node's and its neighbours
  std::vector<int> members_;
  Status cause_;
  bool goodbye_ = false;
};

}  // namespace treering::transport::inproc
