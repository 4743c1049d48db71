#include "transport/tcp/addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <cstring>

namespace treering::transport::tcp {

bool is_loopback(std::uint32_t address) { return (ntohl(address) >> 24) == 127; }

std::vector<std::uint32_t> own_addresses() {
  std::vector<std::uint32_t> addresses;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return addresses;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET || (entry->ifa_flags & IFF_UP) == 0)
      continue;
    sockaddr_in address{};
    std::memcpy(&address, entry->ifa_addr, sizeof address);
    addresses.push_back(address.sin_addr.s_addr);
  }
  ::freeifaddrs(list);
  return addresses;
}

}  // namespace treering::transport::tcp
