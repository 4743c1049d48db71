#include "transport/shm/local_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/check.h"
#include "transport/sleep.h"

namespace treering::transport::shm {

namespace {

constexpr std::size_t max_parcel_bytes = 256;
constexpr std::size_t max_parcel_descriptors = 8;

struct Address {
  sockaddr_un raw{};
  socklen_t bytes = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&raw); }
};

/// A first byte of zero says "abstract": the name lives in the kernel only.
Address address_of(const std::string& name) {
  Address address;
  TREERING_CHECK(name.size() + 1 < sizeof address.raw.sun_path, "the name of a socket is too long");
  address.raw.sun_family = AF_UNIX;
  std::memcpy(address.raw.sun_path + 1, name.data(), name.size());
  address.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

UniqueFd make_socket() { return UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)); }

bool readable(const UniqueFd& socket, const Deadline& deadline) {
  pollfd entry{socket.get(), POLLIN, 0};
  if (poll_for({&entry, 1}, deadline.left())) return true;
  errno = ETIMEDOUT;
  return false;
}

union ControlBuffer {
  char bytes[CMSG_SPACE(sizeof(int) * max_parcel_descriptors)];
  cmsghdr alignment;
};

std::vector<UniqueFd> descriptors_in(msghdr& message) {
  std::vector<UniqueFd> found;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t index = 0; index < count; ++index) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + index * sizeof(int), sizeof fd);
      found.emplace_back(fd);
    }
  }
  return found;
}

}  // namespace

UniqueFd listen_locally(const std::string& name, int backlog) {
  UniqueFd socket = make_socket();
  const Address address = address_of(name);
  if (!socket.valid() || ::bind(socket.get(), address.get(), address.bytes) != 0 ||
      ::listen(socket.get(), backlog) != 0)
    return {};
  return socket;
}

UniqueFd connect_locally(const std::string& name) {
  UniqueFd socket = make_socket();
  const Address address = address_of(name);
  if (!socket.valid() || ::connect(socket.get(), address.get(), address.bytes) != 0) return {};
  return socket;
}

UniqueFd accept_locally(const UniqueFd& listener, const Deadline& deadline) {
  if (!readable(listener, deadline)) return {};
  return UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

bool send_parcel(const UniqueFd& socket, const Bytes& bytes, const std::vector<int>& descriptors) {
  TREERING_CHECK(bytes.size() <= max_parcel_bytes && descriptors.size() <= max_parcel_descriptors, "parcel too large");
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  ControlBuffer control{};
  if (!descriptors.empty()) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
    std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof(int) * descriptors.size());
  }
  ssize_t sent = -1;
  while ((sent = ::sendmsg(socket.get(), &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  return sent == static_cast<ssize_t>(bytes.size());
}

std::optional<Parcel> receive_parcel(const UniqueFd& socket, const Deadline& deadline) {
  if (!readable(socket, deadline)) return std::nullopt;
  Parcel parcel;
  parcel.bytes.resize(max_parcel_bytes);
  iovec part{parcel.bytes.data(), parcel.bytes.size()};
  ControlBuffer control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t got = -1;
  while ((got = ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  if (got >= 0) parcel.descriptors = descriptors_in(message);
  if (got <= 0) {
    if (got == 0) errno = ECONNRESET;
    return std::nullopt;
  }
  parcel.bytes.resize(static_cast<std::size_t>(got));
  return parcel;
}

pid_t peer_process(const UniqueFd& socket) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) return -1;
  return peer.uid == ::geteuid() ? peer.pid : -1;
}

}  // namespace treering::transport::shm
