#include "transport/tcp/sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

namespace treering::transport::tcp {

namespace {

UniqueFd make_socket() { return UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

void send_at_once(const UniqueFd& socket) {
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

sockaddr_in address_of(std::uint32_t address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr.s_addr = address;
  result.sin_port = htons(port);
  return result;
}

}  // namespace

Listener open_listener(int backlog) {
  Listener listener{make_socket(), 0};
  sockaddr_in any = address_of(htonl(INADDR_ANY), 0);
  socklen_t bytes = sizeof any;
  auto* const address = reinterpret_cast<sockaddr*>(&any);
  const int fd = listener.socket.get();
  if (fd < 0 || ::bind(fd, address, bytes) != 0 || ::listen(fd, backlog) != 0 ||
      ::getsockname(fd, address, &bytes) != 0)
    return {};
  listener.port = ntohs(any.sin_port);
  return listener;
}

UniqueFd accept_one(const UniqueFd& listener) {
  UniqueFd socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.valid()) send_at_once(socket);
  return socket;
}

UniqueFd begin_connect(std::uint32_t address, std::uint16_t port) {
  UniqueFd socket = make_socket();
  if (!socket.valid()) return {};
  send_at_once(socket);
  const sockaddr_in target = address_of(address, port);
  const int result = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&target), sizeof target);
  return result == 0 || errno == EINPROGRESS ? std::move(socket) : UniqueFd();
}

bool is_connected(const UniqueFd& socket) {
  sockaddr_in peer{};
  socklen_t bytes = sizeof peer;
  return ::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&peer), &bytes) == 0;
}

}  // namespace treering::transport::tcp
