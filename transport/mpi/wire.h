#pragma once

#include <unordered_map>
#include <unordered_set>

#include "transport/mpi/communicators.h"
#include "transport/mpi/requests.h"
#include "transport/wire.h"

namespace treering::transport::mpi {

/// Data between nodes as MPI messages.
class MpiWire final : public Wire, private RequestOwner {
 public:
  MpiWire(const Communicators& communicators, Requests& requests)
      : communicators_(communicators), requests_(requests) {}

  Ticket send(int rank, int tag, const std::byte* data, std::size_t bytes) override;
  Ticket receive(int rank, int tag, std::byte* data, std::size_t bytes) override;
  int max_tag() const override { return communicators_.max_tag(); }
  bool done(Ticket ticket) override { return finished_.erase(ticket) > 0; }
  bool poll() override;

  /// No call into MPI from now on; tickets stay open.
  void abandon() { abandoned_ = true; }
  /// Not ok once MPI has refused something or a length did not match.
  const Status& status() const { return status_; }

 private:
  /// MPI counts in int, so very long transfers travel in parts, cut the same way on both sides.
  struct Part {
    Ticket ticket;
    int peer;
    int tag;
    std::size_t bytes;
    bool incoming;
  };

  Ticket transfer(const Part& whole, std::byte* data);
  void post(const Part& part, std::byte* data);
  void completed(std::uint64_t cookie, const MPI_Status& status) override;

  const Communicators& communicators_;
  Requests& requests_;
  Ticket next_ticket_ = 1;
  std::uint64_t next_part_ = 1;
  std::unordered_map<std::uint64_t, Part> parts_;
  std::unordered_map<Ticket, int> parts_left_;
  std::unordered_set<Ticket> finished_;
  bool abandoned_ = false;
  Status status_;
};

}  // namespace treering::transport::mpi
