// What the wire can do: a number of bytes in both directions at once over one plain TCP connection, as the bound for
// an allreduce between two hosts. Run on one host `raw_tcp listen 0.0.0.0 PORT BYTES`, on the other
// `raw_tcp connect ADDRESS PORT BYTES`; both print the median time in ms.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t block = std::size_t{256} << 10;  // per system call: stays in the cache
constexpr int rounds = 5;
constexpr auto patience = std::chrono::seconds(20);  // for the other side to turn up

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() { close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

std::uint64_t parse_number(std::string_view text, std::uint64_t limit) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > limit)
    throw std::invalid_argument("\"" + std::string(text) + "\" is no number from 1 to " + std::to_string(limit));
  return value;
}

sockaddr_in parse_address(const char* address, const char* port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(static_cast<std::uint16_t>(parse_number(port, 65535)));
  if (inet_pton(AF_INET, address, &result.sin_addr) != 1)
    throw std::invalid_argument("\"" + std::string(address) + "\" is no IPv4 address");
  return result;
}

int new_socket() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) fail("socket");
  return descriptor;
}

int accept_peer(const sockaddr_in& address) {
  const Socket listener(new_socket());
  const int yes = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("bind");
  if (listen(listener.get(), 1) != 0) fail("listen");
  pollfd waiting{listener.get(), POLLIN, 0};
  if (poll(&waiting, 1, static_cast<int>(std::chrono::milliseconds(patience).count())) <= 0)
    throw std::runtime_error("nobody connected");
  const int peer = accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
  if (peer < 0) fail("accept");
  return peer;
}

int connect_to_peer(const sockaddr_in& address) {
  const auto deadline = Clock::now() + patience;
  while (true) {
    const int descriptor = new_socket();
    if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return descriptor;
    const int error = errno;
    close(descriptor);
    errno = error;
    if (Clock::now() > deadline) fail("connect");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the listener may still be starting
  }
}

/// How many bytes a system call has moved; 0 if it would have had to wait.
std::uint64_t moved(ssize_t result, const char* call) {
  if (result > 0) return static_cast<std::uint64_t>(result);
  if (result == 0) throw std::runtime_error("the other side has gone");
  if (errno == EAGAIN || errno == EINTR) return 0;
  fail(call);
}

/// Sends and receives `bytes` at the same time.
void exchange(const Socket& peer, std::uint64_t bytes) {
  static std::array<char, block> out{};
  static std::array<char, block> in{};
  std::uint64_t to_send = bytes;
  std::uint64_t to_receive = bytes;
  while (to_send > 0 || to_receive > 0) {
    pollfd state{peer.get(), 0, 0};
    if (to_send > 0) state.events |= POLLOUT;
    if (to_receive > 0) state.events |= POLLIN;
    if (poll(&state, 1, -1) < 0 && errno != EINTR) fail("poll");
    if (to_receive > 0 && (state.revents & (POLLIN | POLLHUP | POLLERR)) != 0)
      to_receive -=
          moved(recv(peer.get(), in.data(), std::min<std::uint64_t>(to_receive, block), MSG_DONTWAIT), "recv");
    if (to_send > 0 && (state.revents & POLLOUT) != 0)
      to_send -= moved(
          send(peer.get(), out.data(), std::min<std::uint64_t>(to_send, block), MSG_DONTWAIT | MSG_NOSIGNAL), "send");
  }
}

double median_milliseconds(const Socket& peer, std::uint64_t bytes) {
  std::vector<double> times;
  for (int round = -1; round < rounds; ++round) {  // the first one opens TCP's windows
    exchange(peer, 1);                             // both sides are ready
    const auto start = Clock::now();
    exchange(peer, bytes);
    if (round >= 0) times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view role = argc == 5 ? argv[1] : "";
  if (role != "listen" && role != "connect") {
    std::fprintf(stderr, "usage: raw_tcp listen|connect ADDRESS PORT BYTES\n");
    return 2;
  }
  try {
    const sockaddr_in address = parse_address(argv[2], argv[3]);
    const std::uint64_t bytes = parse_number(argv[4], std::uint64_t{1} << 40);
    const Socket peer(role == "listen" ? accept_peer(address) : connect_to_peer(address));
    const int yes = 1;
    setsockopt(peer.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    std::printf("%.3f\n", median_milliseconds(peer, bytes));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "raw_tcp: %s\n", error.what());
    return 1;
  }
}
