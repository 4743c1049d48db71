#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "transport/fabric.h"
#include "transport/fork/seat.h"
#include "transport/shared_node.h"
#include "transport/shm/node_memory.h"

namespace treering::transport::fork {

/// What start has put together.
struct Parts {
  Seat seat;
  World world;
  std::vector<int> neighbours;
  SegmentLayout layout;
  shm::NodeMemory memory;
  std::size_t heap_bytes = 0;
  Bytes root_settings;
  std::chrono::milliseconds timeout{};
};

/// Between nodes; of which a forked job has one.
class NoWire final : public Wire {
 public:
  Ticket send(int rank, int tag, const std::byte* data, std::size_t bytes) override;
  Ticket receive(int rank, int tag, std::byte* data, std::size_t bytes) override;
  int max_tag() const override { return 0x7fffffff; }
  bool done(Ticket) override { return false; }
  bool poll() override { return false; }
};

/// Forked processes over their node's segment and nothing else.
class ForkFabric final : public Fabric {
 public:
  explicit ForkFabric(Parts parts);
  ~ForkFabric() override;

  const World& world() const override { return world_; }
  NodeLink& node() override { return node_; }
  Wire& wire() override { return wire_; }
  MessageEdge& edge(int peer) override;
  const Bytes& root_settings() const override { return root_settings_; }
  std::shared_ptr<void> heap_owner() const override { return own_heap_; }
  std::vector<Bytes> gather_all(const Bytes& mine) override;

  bool progress() override;
  void ring_self() override { node_.bell().ring(); }
  const Bell& bell() const override { return node_.bell(); }
  std::optional<Nanoseconds> longest_sleep() const override { return std::nullopt; }
  void list_awaited(std::vector<pollfd>& entries) const override;
  void look_soon() override { look_soon_.store(true, std::memory_order_release); }
  void begin_turns() override;

  void poison(const Status& cause) override;
  Status poisoned() const override { return cause_; }
  void declare_stopped() override { node_.declare_stopped(); }
  bool node_stopped() const override;
  std::vector<int> kill_unstopped() override;

  void say_goodbye() override;

 private:
  bool watch();
  /// Looks at the process handles.
  void look();
  bool watches(int member) const { return member != node_.self() && ended_[static_cast<std::size_t>(member)] == 0; }
  bool gone(int member) const;
  std::string name_of(int member) const;

  Seat seat_;
  World world_;
  shm::NodeMemory memory_;
  std::shared_ptr<Mapping> own_heap_;  // shared with the handles that still point into it
  Bytes root_settings_;
  std::chrono::milliseconds timeout_;
  SharedNode node_;
  NoWire wire_;
  std::map<int, std::unique_ptr<FramedEdge>> edges_;
  std::vector<char> ended_;  // by member: its process is known to have ended
  bool news_ = false;        // ended_ has changed since the last look
  std::atomic<bool> look_soon_{false};
  std::vector<pollfd> looked_at_;
  Nanoseconds next_look_ = 0;
  Status cause_;
  bool goodbye_ = false;
};

}  // namespace treering::transport::fork
