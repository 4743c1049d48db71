#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transport/wire.h"

namespace treering::ops {

/// Sends and receives under way for one program. Each raises one of the program's private counters, in the order in
/// which they were posted there.
class Transfers {
 public:
  void reset(std::size_t counters);
  void post(std::size_t counter, transport::Wire::Ticket ticket, std::int64_t value);
  /// Raises what is over; true if anything is.
  bool poll(transport::Wire& wire, std::span<std::int64_t> counters);
  std::size_t under_way() const { return under_way_; }

 private:
  struct Item {
    transport::Wire::Ticket ticket;
    std::int64_t value;
  };
  struct Queue {
    std::vector<Item> items;
    std::size_t head = 0;
  };
  std::vector<Queue> queues_;  // per counter; memory is kept from program to program
  std::size_t under_way_ = 0;
};

}  // namespace treering::ops
