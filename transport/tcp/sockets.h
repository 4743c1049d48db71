#pragma once

#include <cstdint>
#include <vector>

#include "transport/deadline.h"
#include "transport/descriptor.h"

namespace treering::transport::tcp {

/// Non-blocking TCP sockets over IPv4, with TCP_NODELAY. Invalid, with errno, when the system refuses.
struct Listener {
  Descriptor socket;
  std::uint16_t port = 0;
};
Listener open_listener(int backlog);
Descriptor accept_one(const Descriptor& listener);  ///< invalid if nobody waits

/// Tries the addresses (network byte order) one after the other; each gets a part of the time that is left.
Descriptor connect_to(const std::vector<std::uint32_t>& addresses, std::uint16_t port, const Deadline& deadline);

}  // namespace treering::transport::tcp
