#pragma once

#include <deque>
#include <map>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "transport/inproc/state.h"
#include "transport/wire.h"
#include "treering/status.h"

namespace treering::transport::inproc {

/// Messages through mailboxes. The receiver copies, when it polls.
class MailboxWire final : public Wire {
 public:
  MailboxWire(State& state, int rank) : state_(state), rank_(rank) {}
  ~MailboxWire() override;

  Ticket send(int rank, int tag, const std::byte* data, std::size_t bytes) override;
  Ticket receive(int rank, int tag, std::byte* data, std::size_t bytes) override;
  int max_tag() const override { return 0x7fffffff; }
  bool done(Ticket ticket) override { return finished_.erase(ticket) > 0; }
  bool poll() override;

  /// Not ok once lengths did not match.
  const Status& status() const { return status_; }

 private:
  struct Sent {
    Ticket ticket;
    int rank;
    std::shared_ptr<Offer> offer;
  };
  struct Posted {
    Ticket ticket;
    std::byte* data;
    std::size_t bytes;
  };

  bool take_arrivals();
  bool take_one(int source, int tag, const Posted& posted);

  State& state_;
  int rank_;
  Ticket next_ticket_ = 1;
  std::uint64_t arrivals_seen_ = 0;
  bool posted_new_ = false;
  std::vector<Sent> sent_;
  std::map<std::pair<int, int>, std::deque<Posted>> posted_;  // by (source, tag)
  std::unordered_set<Ticket> finished_;
  Status status_;
};

}  // namespace treering::transport::inproc
