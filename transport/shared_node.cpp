#include "transport/shared_node.h"

#include "transport/ring_channel.h"

namespace treering::transport {

SharedNode::SharedNode(int self, SegmentLayout layout, std::byte* base, const std::vector<int>& eventfds,
                       std::vector<std::byte*> heaps, std::size_t heap_bytes)
    : self_(self), layout_(std::move(layout)), base_(base), heaps_(std::move(heaps)), heap_bytes_(heap_bytes) {
  for (int member = 0; member < size(); ++member)
    bells_.emplace_back(&block(member).bell, eventfds[static_cast<std::size_t>(member)]);
}

std::unique_ptr<FramedEdge> SharedNode::edge(int member, int peer_rank) const {
  auto channel = std::make_unique<RingChannel>(base_ + layout_.ring(self_, member), base_ + layout_.ring(member, self_),
                                               bells_[static_cast<std::size_t>(member)]);
  return std::make_unique<FramedEdge>(peer_rank, std::move(channel));
}

void SharedNode::poison(const Status& cause) const {
  for (int member = 0; member < size(); ++member) put_cause(block(member).failure, cause);
  ring_others();
}

void SharedNode::declare_stopped() const {
  block(self_).stopped.store(1, std::memory_order_seq_cst);
  ring_others();
}

void SharedNode::say_goodbye() const { block(self_).goodbye.store(1, std::memory_order_seq_cst); }

void SharedNode::ring_others() const {
  for (int member = 0; member < size(); ++member)
    if (member != self_) ring(member);
}

}  // namespace treering::transport
