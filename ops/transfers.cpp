#include "ops/transfers.h"

namespace treering::ops {

void Transfers::reset(std::size_t counters) {
  if (queues_.size() < counters) queues_.resize(counters);
}

void Transfers::post(std::size_t counter, transport::Wire::Ticket ticket, std::int64_t value) {
  queues_[counter].items.push_back({ticket, value});
  ++under_way_;
}

bool Transfers::poll(transport::Wire& wire, std::span<std::int64_t> counters) {
  if (under_way_ == 0) return false;
  bool any = false;
  for (std::size_t counter = 0; counter < counters.size(); ++counter) {
    Queue& queue = queues_[counter];
    while (queue.head < queue.items.size() && wire.done(queue.items[queue.head].ticket)) {
      counters[counter] = queue.items[queue.head].value;
      ++queue.head;
      --under_way_;
      any = true;
    }
    if (queue.head > 0 && queue.head == queue.items.size()) {
      queue.items.clear();
      queue.head = 0;
    }
  }
  return any;
}

}  // namespace treering::ops
