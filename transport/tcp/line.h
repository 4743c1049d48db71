#pragma once

#include <poll.h>

#include <cstdint>

#include "base/unique_fd.h"
#include "transport/deadline.h"
#include "transport/tcp/line_message.h"

namespace treering::transport::tcp {

/// One open connection to a neighbour on another node: knocks, causes, goodbyes. Never blocks. Engine thread only.
class Line {
 public:
  explicit Line(UniqueFd socket) : socket_(std::move(socket)) {}

  void knock(std::uint64_t count) { say(knock_message(count)); }
  void tell(const Status& cause) { say(cause_message(cause)); }
  void say_goodbye() { say(goodbye_message()); }
  /// Waits until everything said has left this process.
  void flush(const Deadline& deadline);

  /// Reads and writes what can be; true if anything was said by the peer.
  bool progress();

  std::uint64_t knocks() const { return knocks_; }  ///< highest count heard
  const Status& cause() const { return cause_; }    ///< what the peer reported, or ok
  bool said_goodbye() const { return goodbye_; }
  bool open() const { return socket_.valid(); }
  bool broken() const { return parser_.broken(); }
  bool unsent() const { return !outgoing_.empty(); }

  /// For the one sleep; the descriptor is negative when there is nothing to wait for.
  pollfd poll_entry() const;

 private:
  void say(const Bytes& message);
  void write_some();
  bool read_some();
  void hear(const LineMessage& message);

  UniqueFd socket_;
  Bytes outgoing_;
  LineParser parser_;
  std::uint64_t knocks_ = 0;
  Status cause_;
  bool goodbye_ = false;
};

}  // namespace treering::transport::tcp
