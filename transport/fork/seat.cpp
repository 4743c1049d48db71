#include "transport/fork/seat.h"

#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "treering/status.h"

namespace treering::transport::fork {

namespace {

/// The number at the beginning of `text`, which loses it and the character behind it; nothing if there is none, or
/// something else than `end` behind it.
std::optional<int> take_number(std::string_view& text, char end) {
  int value = 0;
  const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(behind - text.data()));
  if (!text.empty()) {
    if (text.front() != end) return std::nullopt;
    text.remove_prefix(1);
    if (text.empty()) return std::nullopt;
  }
  return value;
}

}  // namespace

std::string Seat::text() const {
  std::string text = std::to_string(rank) + "/" + std::to_string(size) + "/";
  for (const int socket : sockets) text += (text.back() == '/' ? "" : ",") + std::to_string(socket);
  return text;
}

std::optional<Seat> parse_seat(std::string_view text) {
  if (text.ends_with('/')) text.remove_suffix(1);  // a job of one rank has no sockets
  const std::optional<int> rank = take_number(text, '/');
  const std::optional<int> size = rank ? take_number(text, '/') : std::nullopt;
  if (!size) return std::nullopt;
  Seat seat{*rank, *size, {}};
  while (!text.empty()) {
    const std::optional<int> socket = take_number(text, ',');
    if (!socket) return std::nullopt;
    seat.sockets.push_back(*socket);
  }
  const bool fits =
      seat.rank < seat.size && seat.sockets.size() == static_cast<std::size_t>(seat.rank > 0 ? 1 : seat.size - 1);
  return fits ? std::optional(std::move(seat)) : std::nullopt;
}

Seats::Seats(int size) {
  for (int rank = 1; rank < size; ++rank) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
      throw Error(StatusCode::unavailable, std::string("no socket for a rank: ") + std::strerror(errno));
    inner_.emplace_back(ends[0]);
    outer_.emplace_back(ends[1]);
  }
}

Seat Seats::take(int rank) {
  Seat seat{rank, size(), {}};
  if (rank == 0)
    for (UniqueFd& socket : inner_) seat.sockets.push_back(socket.release());
  else
    seat.sockets.push_back(outer_[static_cast<std::size_t>(rank) - 1].release());
  for (UniqueFd& socket : inner_) socket.reset();
  for (UniqueFd& socket : outer_) socket.reset();
  return seat;
}

}  // namespace treering::transport::fork
