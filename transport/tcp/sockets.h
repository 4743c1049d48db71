#pragma once

#include <cstdint>

#include "base/unique_fd.h"

namespace treering::transport::tcp {

/// Non-blocking TCP sockets over IPv4, with TCP_NODELAY. Invalid, with errno, when the system refuses.
struct Listener {
  UniqueFd socket;
  std::uint16_t port = 0;
};
Listener open_listener(int backlog);
UniqueFd accept_one(const UniqueFd& listener);  ///< invalid if nobody waits

/// Starts to connect to an address (network byte order); writable when it is decided.
UniqueFd begin_connect(std::uint32_t address, std::uint16_t port);
bool is_connected(const UniqueFd& socket);  ///< false: refused, or not decided yet

}  // namespace treering::transport::tcp
