#include "transport/mpi/wire.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "transport/mpi/errors.h"

namespace treering::transport::mpi {

namespace {

constexpr std::size_t max_part_bytes = std::size_t{1} << 30;

}  // namespace

Wire::Ticket MpiWire::send(int rank, int tag, const std::byte* data, std::size_t bytes) {
  return transfer({next_ticket_, rank, tag, bytes, false}, const_cast<std::byte*>(data));
}

Wire::Ticket MpiWire::receive(int rank, int tag, std::byte* data, std::size_t bytes) {
  return transfer({next_ticket_, rank, tag, bytes, true}, data);
}

Wire::Ticket MpiWire::transfer(const Part& whole, std::byte* data) {
  TREERING_CHECK(whole.tag >= 0 && whole.tag <= max_tag(), "a tag is out of range");
  std::size_t offset = 0;
  do {
    Part part = whole;
    part.bytes = std::min(whole.bytes - offset, max_part_bytes);
    ++parts_left_[whole.ticket];
    if (!abandoned_ && status_.ok()) post(part, data + offset);
    offset += part.bytes;
  } while (offset < whole.bytes);
  return next_ticket_++;
}

void MpiWire::post(const Part& part, std::byte* data) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int count = static_cast<int>(part.bytes);
  const MPI_Comm comm = communicators_.data();
  const int code = part.incoming ? MPI_Irecv(data, count, MPI_BYTE, part.peer, part.tag, comm, &request)
                                 : MPI_Isend(data, count, MPI_BYTE, part.peer, part.tag, comm, &request);
  if (code != MPI_SUCCESS) {
    status_ = status_of(code, part.incoming ? "MPI_Irecv" : "MPI_Isend");
    return;
  }
  parts_[next_part_] = part;
  requests_.add(request, *this, next_part_, Requests::Kind::moving, part.bytes);
  ++next_part_;
}

bool MpiWire::poll() { return !abandoned_ && requests_.poll(); }

void MpiWire::completed(std::uint64_t cookie, const MPI_Status& status) {
  const auto found = parts_.find(cookie);
  const Part part = found->second;
  parts_.erase(found);
  if (part.incoming) {
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (static_cast<std::size_t>(count) != part.bytes && status_.ok())
      status_ = Status(StatusCode::internal, "rank " + std::to_string(part.peer) + " sent " + std::to_string(count) +
                                                 " bytes with tag " + std::to_string(part.tag) + ", expected were " +
                                                 std::to_string(part.bytes));
  }
  if (--parts_left_[part.ticket] > 0) return;
  parts_left_.erase(part.ticket);
  finished_.insert(part.ticket);
}

}  // namespace treering::transport::mpi
