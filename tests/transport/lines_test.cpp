#include <doctest/doctest.h>
#include <sys/socket.h>

#include <random>

#include "tests/transport/rank_threads.h"
#include "transport/sleep.h"
#include "transport/tcp/connect.h"
#include "transport/tcp/sockets.h"

using namespace treering;
using namespace treering::transport;
using conformance::Problems;

namespace {

std::pair<tcp::Line, UniqueFd> line_and_peer() {
  int ends[2] = {-1, -1};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  return {tcp::Line(UniqueFd(ends[0])), UniqueFd(ends[1])};
}

void say(const UniqueFd& socket, const Bytes& bytes) {
  REQUIRE(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
}

void wait_until_readable(const tcp::Line& line) {
  pollfd entry = line.poll_entry();
  REQUIRE(poll_for({&entry, 1}, 20'000'000'000));
}

}  // namespace

TEST_CASE("knocks, goodbyes and causes arrive however the bytes are cut") {
  Bytes all = tcp::knock_message(7);
  for (const Bytes& more : {tcp::knock_message(300'000'000'000), tcp::goodbye_message(),
                            tcp::cause_message(Status(StatusCode::timed_out, "late"))})
    all.insert(all.end(), more.begin(), more.end());
  for (std::size_t step = 1; step <= all.size(); ++step) {
    tcp::LineParser parser;
    std::vector<tcp::LineMessage> heard;
    for (std::size_t begin = 0; begin < all.size(); begin += step) {
      parser.feed(std::span(all).subspan(begin, std::min(step, all.size() - begin)));
      while (const auto message = parser.next()) heard.push_back(*message);
    }
    REQUIRE(heard.size() == 4);
    CHECK(heard[0].count == 7);
    CHECK(heard[1].count == 300'000'000'000);
    CHECK(heard[2].kind == tcp::LineKind::goodbye);
    CHECK(heard[3].cause.message() == "late");
    CHECK(heard[3].cause.code() == StatusCode::timed_out);
  }
}

TEST_CASE("nonsense on a line breaks it and nothing else") {
  std::mt19937_64 random(31);
  int broken = 0;
  for (int round = 0; round < 2'000; ++round) {
    tcp::LineParser parser;
    Bytes bytes = tcp::knock_message(random());
    const Bytes more = tcp::cause_message(Status(StatusCode::internal, "why"));
    bytes.insert(bytes.end(), more.begin(), more.end());
    bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    bytes.resize(1 + random() % bytes.size());
    parser.feed(bytes);
    while (parser.next()) {
    }
    if (parser.broken()) ++broken;
  }
  CHECK(broken > 100);
}

TEST_CASE("what was said before an exit is heard, then the end") {
  auto [line, peer] = line_and_peer();
  say(peer, tcp::cause_message(Status(StatusCode::mismatch, "because")));
  peer.reset();
  wait_until_readable(line);
  CHECK(line.progress());
  CHECK(line.cause().message() == "because");
  CHECK_FALSE(line.open());
  CHECK_FALSE(line.said_goodbye());
}

TEST_CASE("the highest knock counts, a goodbye explains the end") {
  auto [line, peer] = line_and_peer();
  say(peer, tcp::knock_message(5));
  say(peer, tcp::knock_message(3));
  say(peer, tcp::goodbye_message());
  peer.reset();
  wait_until_readable(line);
  line.progress();
  CHECK(line.knocks() == 5);
  CHECK(line.said_goodbye());
  CHECK_FALSE(line.open());
}

TEST_CASE("a line that the peer does not read keeps what it has to say") {
  auto [line, peer] = line_and_peer();
  std::uint64_t count = 0;
  while (!line.unsent() && count < 10'000'000) line.knock(++count);
  REQUIRE(line.unsent());
  for (int more = 0; more < 100; ++more) line.knock(++count);
  tcp::LineParser parser;
  std::uint64_t heard = 0;
  std::byte buffer[4096];
  while (heard < count) {
    line.progress();
    const ssize_t got = ::recv(peer.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    REQUIRE(got > 0);
    parser.feed({buffer, static_cast<std::size_t>(got)});
    while (const auto message = parser.next()) {
      REQUIRE(message->count == heard + 1);
      heard = message->count;
    }
  }
  CHECK_FALSE(line.unsent());
}

TEST_CASE("all neighbours find each other over TCP, whoever refuses is left out on both sides") {
  const int size = 5;
  const std::vector<std::vector<int>> edges{{1, 2, 3, 4}, {0, 2}, {0, 1}, {0, 4}, {0, 3}};
  for (const int refusing : {-1, 0, 3}) {
    inproc::Job job(size, {});
    const Problems problems = on_all_ranks(job, size, [&](Fabric& fabric) -> Problems {
      const int rank = fabric.world().rank;
      const Gather gather = [&](const Bytes& mine) { return fabric.gather_all(mine); };
      tcp::Lines lines = tcp::connect_lines(rank, edges, std::vector<std::string>(size, "here"), rank == refusing,
                                            gather, Deadline(std::chrono::seconds(20)));
      Problems found;
      if (lines.refusals.empty() != (refusing < 0)) found.push_back("wrong refusals");
      for (const int peer : edges[static_cast<std::size_t>(rank)]) {
        const bool expected = rank != refusing && peer != refusing;
        if (lines.by_peer.contains(peer) != expected) found.push_back("wrong line to " + std::to_string(peer));
      }
      for (auto& [peer, line] : lines.by_peer) line.knock(static_cast<std::uint64_t>(rank * 10 + peer + 1));
      for (auto& [peer, line] : lines.by_peer) {
        const RealClock clock;
        const Nanoseconds deadline = clock.now() + 20'000'000'000;
        while (line.knocks() == 0 && clock.now() < deadline) {
          pollfd entry = line.poll_entry();
          poll_for({&entry, 1}, 100'000'000);
          line.progress();
        }
        if (line.knocks() != static_cast<std::uint64_t>(peer * 10 + rank + 1)) found.push_back("wrong peer");
      }
      gather({});
      fabric.say_goodbye();
      return found;
    });
    for (const std::string& problem : problems) FAIL_CHECK(problem);
  }
}

TEST_CASE("a connection is made where somebody listens, and seen to be refused where nobody does") {
  constexpr std::uint32_t loopback = 0x0100007f;
  tcp::Listener listener = tcp::open_listener(1);
  REQUIRE(listener.port != 0);
  const auto decided = [](const UniqueFd& socket) {
    pollfd entry{socket.get(), POLLOUT, 0};
    return poll_for({&entry, 1}, 20'000'000'000);
  };
  const UniqueFd socket = tcp::begin_connect(loopback, listener.port);
  REQUIRE(decided(socket));
  CHECK(tcp::is_connected(socket));
  listener.socket.reset();
  const UniqueFd refused = tcp::begin_connect(loopback, listener.port);
  if (refused.valid()) {
    REQUIRE(decided(refused));
    CHECK_FALSE(tcp::is_connected(refused));
  }
}

TEST_CASE("strangers at a rank's door are turned away, whatever they say, and keep nobody out") {
  inproc::Job job(2, {});
  const Problems problems = on_all_ranks(job, 2, [](Fabric& fabric) -> Problems {
    const int rank = fabric.world().rank;
    std::vector<UniqueFd> strangers;
    const Gather gather = [&](const Bytes& mine) {
      std::vector<Bytes> all = fabric.gather_all(mine);
      if (rank != 0 || !strangers.empty()) return all;
      const auto port = static_cast<std::uint16_t>(ByteReader(all[1]).get_varint());  // of rank 1's door
      for (const std::size_t bytes : {std::size_t{0}, std::size_t{5}, std::size_t{24}, std::size_t{100}}) {
        strangers.push_back(tcp::begin_connect(0x0100007f, port));
        pollfd entry{strangers.back().get(), POLLOUT, 0};
        poll_for({&entry, 1}, 20'000'000'000);
        say(strangers.back(), Bytes(bytes, std::byte{0x4b}));
      }
      return all;
    };
    tcp::Lines lines =
        tcp::connect_lines(rank, {{1}, {0}}, {"here", "here"}, false, gather, Deadline(std::chrono::seconds(20)));
    Problems found = lines.refusals;
    if (!lines.by_peer.contains(1 - rank)) found.push_back("no line");
    gather({});
    fabric.say_goodbye();
    return found;
  });
  for (const std::string& problem : problems) FAIL_CHECK(problem);
}
