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
struct Arrival {
  Descriptor socket;
  int expected = -1;  ///< whom this rank connected to; -1: it was accepted
  Bytes heard;
};

class Connecting {
 public:
  Connecting(int self, const std::vector<int>& peers, const std::vector<Door>& doors, const Secret& secret,
             const Descriptor& listener)
      : self_(self), waiting_for_(peers.begin(), peers.end()), doors_(doors), secret_(secret), listener_(listener) {}

  /// The lower rank of an edge connects. Nobody waits for an answer before all own connections are made, and those need
  /// only the other side's kernel: so no two ranks wait for each other.
  void call_higher_ranks(const std::vector<std::string>& hosts, const Deadline& deadline) {
    for (const int peer : std::set(waiting_for_)) {
      const Door& door = doors_[static_cast<std::size_t>(peer)];
      if (door.port == 0 || !listener_.valid()) waiting_for_.erase(peer);
      if (peer < self_ || !waiting_for_.contains(peer)) continue;
      const bool same_host = hosts[static_cast<std::size_t>(peer)] == hosts[static_cast<std::size_t>(self_)];
      std::vector<std::uint32_t> addresses = door.addresses;
      if (!same_host) std::erase_if(addresses, is_loopback);
      Arrival call{connect_to(addresses, door.port, deadline), peer, {}};
      if (call.socket.valid() && greet(call.socket, peer))
        arrivals_.push_back(std::move(call));
      else
        give_up(peer, std::strerror(errno));
    }
  }

  void wait_for_all(const Deadline& deadline) {
    while (!waiting_for_.empty() && !deadline.passed()) {
      std::vector<pollfd> entries{{listener_.get(), POLLIN, 0}};
      for (const Arrival& arrival : arrivals_) entries.push_back({arrival.socket.get(), POLLIN, 0});
      poll_for(entries, deadline.left());
      while (true) {
        Descriptor socket = accept_one(listener_);
        if (!socket.valid()) break;
        arrivals_.push_back({std::move(socket), -1, {}});
      }
      std::erase_if(arrivals_, [&](Arrival& arrival) { return settle(arrival); });
    }
    for (const int peer : std::set(waiting_for_)) give_up(peer, "no answer in time");
  }

  std::map<int, Descriptor> take_sockets() { return std::move(sockets_); }
  const std::map<int, std::string>& failures() const { return failures_; }

 private:
  bool greet(const Descriptor& socket, int peer) {
    const Bytes hello = hello_of(self_, doors_[static_cast<std::size_t>(peer)].secret);
    return ::send(socket.get(), hello.data(), hello.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(hello.size());
  }

  /// True when the connection is settled one way or the other.
  bool settle(Arrival& arrival) {
    std::byte buffer[hello_bytes];
    const std::size_t missing = hello_bytes - arrival.heard.size();
    const ssize_t got = ::recv(arrival.socket.get(), buffer, missing, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got > 0) arrival.heard.insert(arrival.heard.end(), buffer, buffer + got);
    if (got > 0 && arrival.heard.size() < hello_bytes) return false;
    const std::optional<int> rank = got > 0 ? read_hello(arrival.heard, secret_) : std::nullopt;
    const bool wanted =
        rank && waiting_for_.contains(*rank) && (arrival.expected == *rank || (arrival.expected < 0 && *rank < self_));
    if (wanted && (arrival.expected >= 0 || greet(arrival.socket, *rank))) {
      waiting_for_.erase(*rank);
      sockets_[*rank] = std::move(arrival.socket);
    } else if (arrival.expected >= 0) {
      give_up(arrival.expected, "the connection was closed");
    }
    return true;
  }

  void give_up(int peer, const std::string& why) {
    if (waiting_for_.erase(peer) > 0) failures_[peer] = why;
  }

  int self_;
  std::set<int> waiting_for_;
  const std::vector<Door>& doors_;
  const Secret& secret_;
  const Descriptor& listener_;
  std::list<Arrival> arrivals_;
  std::map<int, Descriptor> sockets_;
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
std::vector<std::string> drop_failed(const std::vector<Bytes>& all, int self, std::map<int, Descriptor>& sockets) {
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

  Connecting connecting(self, peers, doors, own.secret, listener.socket);
  connecting.call_higher_ranks(hosts, deadline);
  connecting.wait_for_all(deadline);
  std::map<int, Descriptor> sockets = connecting.take_sockets();
  std::map<int, std::string> failures = connecting.failures();
  if (!reason.empty())
    for (const int peer : peers) failures[peer] = reason;

  Lines lines;
  lines.refusals = drop_failed(gather(encode_failures(failures)), self, sockets);
  for (auto& [peer, socket] : sockets) lines.by_peer.emplace(peer, Line(std::move(socket)));
  return lines;
}

}  // namespace treering::transport::tcp
