#include "transport/tcp/connect.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <optional>
#include <set>

#include "transport/secret.h"
#include "transport/sleep.h"
#include "transport/tcp/addresses.h"
#include "transport/tcp/sockets.h"

namespace treering::transport::tcp {

namespace {

/// How a rank can be reached, and the secret that those who may reach it know.
struct Door {
  std::uint16_t port = 0;  ///< 0: it has no socket
  Secret secret{};
  std::vector<std::uint32_t> addresses;

  Bytes encode() const {
    ByteWriter writer;
    writer.put_varint(port);
    writer.put_bytes(secret);
    writer.put_varint(addresses.size());
    for (const std::uint32_t address : addresses) writer.put(address);
    return writer.take();
  }

  static Door decode(const Bytes& bytes) {
    ByteReader reader(bytes);
    Door door;
    door.port = static_cast<std::uint16_t>(reader.get_varint());
    for (std::byte& part : door.secret) part = static_cast<std::byte>(reader.get<std::uint8_t>());
    door.addresses.resize(reader.get_count(sizeof(std::uint32_t)));
    for (std::uint32_t& address : door.addresses) address = reader.get<std::uint32_t>();
    if (!reader.ok()) door.port = 0;
    return door;
  }
};

/// First words on a connection, both ways: who speaks, and the other's secret as proof.
constexpr std::size_t hello_bytes = 4 + 4 + std::tuple_size_v<Secret>;
constexpr std::uint32_t hello_magic = 0x4b6e6f31;

Bytes hello_of(int rank, const Secret& secret) {
  ByteWriter writer;
  writer.put(hello_magic);
  writer.put(static_cast<std::uint32_t>(rank));
  writer.put_bytes(secret);
  return writer.take();
}

/// Who says hello, if the proof is right.
std::optional<int> read_hello(const Bytes& bytes, const Secret& secret) {
  ByteReader reader(bytes);
  const auto magic = reader.get<std::uint32_t>();
  const auto rank = reader.get<std::uint32_t>();
  if (!reader.ok() || magic != hello_magic || rank > 0x7fffffff) return std::nullopt;
  if (!std::equal(secret.begin(), secret.end(), bytes.begin() + 8)) return std::nullopt;
  return static_cast<int>(rank);
}

/// A connection whose peer has not proven itself yet.
struct Attempt {
  UniqueFd socket;
  int expected = -1;     ///< whom this rank calls; -1: it was accepted
  bool greeted = false;  ///< of a call: it is connected and has said hello
  Bytes heard;

  pollfd poll_entry() const {
    return {socket.get(), static_cast<short>(expected >= 0 && !greeted ? POLLOUT : POLLIN), 0};
  }
};

/// The lower rank of an edge calls the higher one at all its addresses at once, because some may lead nowhere or to
/// somebody else; the first that proves to be the right one is kept. Nothing here waits for one peer alone, so no two
/// ranks wait for each other.
class Connecting {
 public:
  Connecting(int self, const std::vector<int>& peers, const std::vector<Door>& doors,
             const std::vector<std::string>& hosts, const UniqueFd& listener)
      : self_(self), doors_(doors), hosts_(hosts), listener_(listener) {
    if (!listener.valid()) return;
    for (const int peer : peers)
      if (door(peer).port != 0) waiting_for_.insert(peer);
  }

  void run(const Deadline& deadline) {
    for (const int peer : waiting_for_)
      if (peer > self_) call(peer);
    give_up_hopeless();
    while (!waiting_for_.empty() && !deadline.passed()) {
      std::vector<pollfd> entries{{listener_.get(), POLLIN, 0}};
      for (const Attempt& attempt : attempts_) entries.push_back(attempt.poll_entry());
      poll_for(entries, deadline.left());
      accept_all();
      std::erase_if(attempts_, [&](Attempt& attempt) { return settle(attempt); });
      give_up_hopeless();
    }
    for (const int peer : std::set(waiting_for_)) give_up(peer, "no answer in time");
  }

  std::map<int, UniqueFd> take_sockets() { return std::move(sockets_); }
  const std::map<int, std::string>& failures() const { return failures_; }

 private:
  const Door& door(int rank) const { return doors_[static_cast<std::size_t>(rank)]; }

  void call(int peer) {
    const bool same_host = hosts_[static_cast<std::size_t>(peer)] == hosts_[static_cast<std::size_t>(self_)];
    for (const std::uint32_t address : door(peer).addresses) {
      if (is_loopback(address) && !same_host) continue;
      if (UniqueFd socket = begin_connect(address, door(peer).port); socket.valid())
        attempts_.push_back({std::move(socket), peer, false, {}});
    }
  }

  void accept_all() {
    for (UniqueFd socket = accept_one(listener_); socket.valid(); socket = accept_one(listener_))
      attempts_.push_back({std::move(socket), -1, false, {}});
  }

  bool greet(const UniqueFd& socket, int peer) const {
    const Bytes hello = hello_of(self_, door(peer).secret);
    return ::send(socket.get(), hello.data(), hello.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(hello.size());
  }

  /// True when the connection has been kept or is of no use.
  bool settle(Attempt& attempt) {
    if (attempt.expected >= 0 && !attempt.greeted) {
      pollfd entry = attempt.poll_entry();
      if (!poll_for({&entry, 1}, 0)) return false;
      attempt.greeted = is_connected(attempt.socket) && greet(attempt.socket, attempt.expected);
      return !attempt.greeted;
    }
    std::byte buffer[hello_bytes];
    const std::size_t missing = hello_bytes - attempt.heard.size();
    const ssize_t got = ::recv(attempt.socket.get(), buffer, missing, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got <= 0) return true;
    attempt.heard.insert(attempt.heard.end(), buffer, buffer + got);
    if (attempt.heard.size() < hello_bytes) return false;
    if (const std::optional<int> rank = read_hello(attempt.heard, door(self_).secret)) keep(attempt, *rank);
    return true;
  }

  void keep(Attempt& attempt, int rank) {
    const bool called = attempt.expected == rank;
    const bool calls = attempt.expected < 0 && rank < self_;
    if (!waiting_for_.contains(rank) || (!called && !calls)) return;
    if (calls && !greet(attempt.socket, rank)) return;
    waiting_for_.erase(rank);
    sockets_[rank] = std::move(attempt.socket);
  }

  void give_up_hopeless() {
    for (const int peer : std::set(waiting_for_)) {
      const bool tried = std::any_of(attempts_.begin(), attempts_.end(),
                                     [&](const Attempt& attempt) { return attempt.expected == peer; });
      if (peer > self_ && !tried) give_up(peer, "no connection at any of its addresses");
    }
  }

  void give_up(int peer, const std::string& why) {
    waiting_for_.erase(peer);
    failures_[peer] = why;
  }

  int self_;
  const std::vector<Door>& doors_;
  const std::vector<std::string>& hosts_;
  const UniqueFd& listener_;
  std::set<int> waiting_for_;
  std::list<Attempt> attempts_;
  std::map<int, UniqueFd> sockets_;
  std::map<int, std::string> failures_;
};

Bytes encode_failures(const std::map<int, std::string>& failures) {
  ByteWriter writer;
  writer.put_varint(failures.size());
  for (const auto& [peer, why] : failures) {
    writer.put_varint(static_cast<std::uint64_t>(peer));
    writer.put_string(why);
  }
  return writer.take();
}

/// An edge has a line only if both ends say so.
std::vector<std::string> drop_failed(const std::vector<Bytes>& all, int self, std::map<int, UniqueFd>& sockets) {
  std::vector<std::string> refusals;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    ByteReader reader(all[rank]);
    for (std::size_t left = reader.get_count(2); left > 0 && reader.ok(); --left) {
      const int peer = static_cast<int>(reader.get_varint());
      const std::string why = reader.get_string(1000);
      refusals.push_back("between ranks " + std::to_string(rank) + " and " + std::to_string(peer) + ": " + why);
      if (static_cast<int>(rank) == self) sockets.erase(peer);
      if (peer == self) sockets.erase(static_cast<int>(rank));
    }
  }
  return refusals;
}

}  // namespace

Lines connect_lines(int self, const std::vector<std::vector<int>>& edges, const std::vector<std::string>& hosts,
                    bool refuse, const Gather& gather, const Deadline& deadline) {
  const std::vector<int>& peers = edges[static_cast<std::size_t>(self)];
  Door own{0, make_secret(), own_addresses()};
  Listener listener;
  std::string reason = refuse ? "refused on purpose" : "";
  if (!peers.empty() && !refuse) {
    listener = open_listener(static_cast<int>(peers.size()) + 8);
    if (!listener.socket.valid()) reason = std::string("cannot listen: ") + std::strerror(errno);
  }
  own.port = listener.port;
  std::vector<Door> doors;
  for (const Bytes& bytes : gather(own.encode())) doors.push_back(Door::decode(bytes));

  Connecting connecting(self, peers, doors, hosts, listener.socket);
  connecting.run(deadline);
  std::map<int, UniqueFd> sockets = connecting.take_sockets();
  std::map<int, std::string> failures = connecting.failures();
  if (!reason.empty())
    for (const int peer : peers) failures[peer] = reason;

  Lines lines;
  lines.refusals = drop_failed(gather(encode_failures(failures)), self, sockets);
  for (auto& [peer, socket] : sockets) lines.by_peer.emplace(peer, Line(std::move(socket)));
  return lines;
}

}  // namespace treering::transport::tcp
