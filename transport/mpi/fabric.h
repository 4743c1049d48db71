#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "transport/fabric.h"
#include "transport/mpi/communicators.h"
#include "transport/mpi/finalize_hook.h"
#include "transport/mpi/frame_channel.h"
#include "transport/mpi/requests.h"
#include "transport/mpi/wire.h"
#include "transport/shared_node.h"
#include "transport/shm/node_memory.h"
#include "transport/tcp/line.h"

namespace treering::transport::mpi {

/// What start has put together.
struct Parts {
  std::unique_ptr<Communicators> communicators;
  World world;
  std::vector<int> neighbours;
  SegmentLayout layout;
  shm::NodeMemory memory;
  std::size_t heap_bytes = 0;
  std::map<int, tcp::Line> lines;
  Bytes root_settings;
};

/// A node's shared memory, MPI between nodes, and TCP lines that wake and warn.
class MpiFabric final : public Fabric {
 public:
  explicit MpiFabric(Parts parts);
  ~MpiFabric() override;

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
  std::optional<Nanoseconds> longest_sleep() const override;
  void list_awaited(std::vector<pollfd>& entries) const override;
  void look_soon() override { look_soon_.store(true, std::memory_order_release); }
  void begin_turns() override;

  void poison(const Status& cause) override;
  Status poisoned() const override { return cause_; }
  void declare_stopped() override { node_.declare_stopped(); }
  bool node_stopped() const override;
  std::vector<int> kill_unstopped() override;

  void say_goodbye() override;
  void on_finalize(std::function<void()> shut_down) override { shut_down_ = std::move(shut_down); }

 private:
  struct Remote {
    MpiFrameChannel* channel = nullptr;  // owned by the edge
    tcp::Line* line = nullptr;           // owned by lines_; null: this edge has none
  };

  void make_edge(int peer);
  bool awaits_frames() const;
  /// Looks at process handles and lines; notes what is ready for `digest`.
  void look();
  bool watches(std::size_t member) const;
  bool watches(const tcp::Line& line) const;

  bool watch();
  bool digest();
  bool listen_to(int peer, tcp::Line& line);
  void died(const std::string& who);
  std::string name_of(int rank) const;
  bool gone(int member) const;
  void finalizing();
  void let_go_of_mpi();
  void abandon_mpi();
  bool drain();

  World world_;
  std::unique_ptr<Communicators> communicators_;
  shm::NodeMemory memory_;
  std::shared_ptr<Mapping> own_heap_;  // shared with the handles that still point into it
  Bytes root_settings_;
  std::vector<int> members_;  // ranks of this node
  SharedNode node_;
  std::map<int, tcp::Line> lines_;
  Requests requests_;
  MpiWire wire_;
  std::map<int, std::unique_ptr<FramedEdge>> edges_;
  std::map<int, Remote> remotes_;
  std::vector<char> ended_;  // by member: its process is known to have ended
  std::vector<int> heard_;   // peers whose lines have something to read
  bool news_ = false;        // ended_ or heard_ have changed since the last digest
  bool every_line_there_ = true;
  std::atomic<bool> look_soon_{false};
  std::vector<pollfd> looked_at_;
  Nanoseconds next_look_ = 0;
  Status cause_;
  bool goodbye_ = false;
  bool mpi_gone_ = false;
  std::function<void()> shut_down_;
  std::unique_ptr<FinalizeHook> hook_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace treering::transport::mpi
