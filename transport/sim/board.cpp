#include "transport/sim/board.h"

#include <signal.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <random>

namespace treering::transport::sim {

namespace {

constexpr std::uint64_t nobody = 0;  // imports as no machine does

}  // namespace

Status Board::create(CommunicatorId& id, Board& board) {
  std::random_device random;
  const std::uint64_t owner = std::uint64_t{random()} << 32 | random() | 1;
  Status status = device::sim::MemoryFile::create(sizeof(Seats), false, owner, 1, board.file_);
  if (!status.ok()) return status;
  std::memset(board.file_.bytes(), 0, sizeof(Seats));
  board.seats_ = new (board.file_.bytes()) Seats;
  const device::ExportedMemory exported = board.file_.exported();
  static_assert(sizeof exported <= sizeof id.bytes);
  std::memcpy(id.bytes.data(), &exported, sizeof exported);
  return {};
}

Status Board::open(const CommunicatorId& id, Board& board) {
  device::ExportedMemory exported;
  std::memcpy(&exported, id.bytes.data(), sizeof exported);
  if (exported.bytes != sizeof(Seats)) return {StatusCode::invalid_argument, "this is no id of a communicator"};
  Status status = device::sim::MemoryFile::open(exported, nobody, board.file_);
  if (status.ok()) board.seats_ = std::launder(reinterpret_cast<Seats*>(board.file_.bytes()));
  return status;
}

bool Board::all(int size, std::atomic<std::uint64_t> Seat::* count, std::uint64_t least) const {
  for (int rank = 0; rank < size; ++rank)
    if ((seat(rank).*count).load() < least) return false;
  return true;
}

bool Board::all_joined(int size) const {
  for (int rank = 0; rank < size; ++rank)
    if (seat(rank).pid.load() == 0) return false;
  return true;
}

bool Board::all_finalizing(int size) const {
  for (int rank = 0; rank < size; ++rank)
    if (seat(rank).finalizing.load() == 0) return false;
  return true;
}

bool Board::all_aborted(int size) const {
  for (int rank = 0; rank < size; ++rank) {
    const pid_t pid = seat(rank).pid.load();
    const bool lives = pid != 0 && (::kill(pid, 0) == 0 || errno != ESRCH);
    if (lives && seat(rank).aborted.load() == 0) return false;
  }
  return true;
}

}  // namespace treering::transport::sim
