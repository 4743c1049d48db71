#pragma once

#include <cstddef>
#include <cstdint>

namespace treering::transport {

/// Point-to-point data between ranks of different nodes, out of and into memory that outlives the wire (slots).
/// Messages of one (source, tag) arrive in the order sent, into receives in the order posted; lengths must match. Never
/// blocks. Engine thread only.
class Wire {
 public:
  using Ticket = std::uint64_t;

  virtual ~Wire() = default;

  /// `tag` is in [0, max_tag()].
  virtual Ticket send(int rank, int tag, const std::byte* data, std::size_t bytes) = 0;
  virtual Ticket receive(int rank, int tag, std::byte* data, std::size_t bytes) = 0;
  virtual int max_tag() const = 0;

  /// True once the transfer is over; the ticket is then forgotten. Looks only at what `poll` has found.
  virtual bool done(Ticket ticket) = 0;

  /// Looks for completed transfers; true if there were any.
  virtual bool poll() = 0;
};

}  // namespace treering::transport
