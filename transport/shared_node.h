#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "transport/framed_edge.h"
#include "transport/node_link.h"
#include "transport/segment.h"

namespace treering::transport {

/// One rank's view of a node's segment, wherever that memory comes from. Owns nothing but the numbers.
class SharedNode final : public NodeLink {
 public:
  /// `bells` holds eventfds by member; `heaps` addresses, nullptr where a heap could not be had.
  SharedNode(int self, SegmentLayout layout, std::byte* base, const std::vector<int>& eventfds,
             std::vector<std::byte*> heaps, std::size_t heap_bytes);

  int self() const override { return self_; }
  int size() const override { return layout_.members(); }
  std::byte* area(int member) const override { return base_ + layout_.area(member); }
  void ring(int member) const override { bells_[static_cast<std::size_t>(member)].ring(); }
  std::byte* heap(int member) const override { return heaps_[static_cast<std::size_t>(member)]; }
  std::size_t heap_bytes() const override { return heap_bytes_; }

  const Bell& bell() const { return bells_[static_cast<std::size_t>(self_)]; }
  MemberBlock& block(int member) const { return *reinterpret_cast<MemberBlock*>(base_ + layout_.block(member)); }
  /// This rank's end of an edge inside the node; `peer_rank` is what to call the member in messages.
  std::unique_ptr<FramedEdge> edge(int member, int peer_rank) const;

  /// Leaves the cause with every member, this one included, and wakes the others.
  void poison(const Status& cause) const;
  std::optional<Status> poisoned() const { return cause_in(block(self_).failure); }
  void declare_stopped() const;
  void say_goodbye() const;

 private:
  void ring_others() const;

  int self_;
  SegmentLayout layout_;
  std::byte* base_;
  std::vector<Bell> bells_;
  std::vector<std::byte*> heaps_;
  std::size_t heap_bytes_;
};

}  // namespace treering::transport
