#pragma once

#include <cstdint>
#include <vector>

namespace treering::transport::tcp {

/// IPv4 addresses of this machine's interfaces that are up, in network byte order.
std::vector<std::uint32_t> own_addresses();

bool is_loopback(std::uint32_t address);

}  // namespace treering::transport::tcp
