#include "transport/tcp/line.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "transport/sleep.h"

namespace treering::transport::tcp {

void Line::say(const Bytes& message) {
  outgoing_.insert(outgoing_.end(), message.begin(), message.end());
  write_some();
}

void Line::write_some() {
  while (open() && !outgoing_.empty()) {
    const ssize_t sent = ::send(socket_.get(), outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0) {
      outgoing_.clear();  // the reader finds out that the connection is gone
      return;
    }
    outgoing_.erase(outgoing_.begin(), outgoing_.begin() + sent);
  }
}

void Line::flush(const Deadline& deadline) {
  write_some();
  while (open() && unsent() && !deadline.passed()) {
    pollfd entry{socket_.get(), POLLOUT, 0};
    poll_for({&entry, 1}, deadline.left());
    write_some();
  }
}

bool Line::progress() {
  write_some();
  bool heard = false;
  while (read_some()) heard = true;
  return heard;
}

bool Line::read_some() {
  if (!open()) return false;
  std::byte buffer[2048];
  const ssize_t got = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (got < 0 && errno == EINTR) return true;
  if (got < 0 && errno == EAGAIN) return false;
  if (got <= 0) {
    socket_.reset();
    outgoing_.clear();
    return true;
  }
  parser_.feed({buffer, static_cast<std::size_t>(got)});
  while (const std::optional<LineMessage> message = parser_.next()) hear(*message);
  return true;
}

void Line::hear(const LineMessage& message) {
  switch (message.kind) {
    case LineKind::knock: knocks_ = std::max(knocks_, message.count); break;
    case LineKind::cause:
      if (cause_.ok()) cause_ = message.cause;
      break;
    case LineKind::goodbye: goodbye_ = true; break;
  }
}

pollfd Line::poll_entry() const { return {socket_.get(), static_cast<short>(unsent() ? POLLIN | POLLOUT : POLLIN), 0}; }

}  // namespace treering::transport::tcp
