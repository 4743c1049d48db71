#include "tests/transport/conformance.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <set>

namespace treering::transport::conformance {

namespace {

constexpr Nanoseconds guard = 60'000'000'000;

std::byte pattern(std::size_t from, std::size_t to, std::size_t message, std::size_t index) {
  const std::size_t mixed = (from * 131 + to * 31 + message * 7 + 1) * 2654435761u + index * 40503u + (index >> 8);
  return static_cast<std::byte>(mixed >> 5);
}

Bytes make_message(int from, int to, std::size_t message, std::size_t bytes) {
  Bytes result(bytes);
  for (std::size_t index = 0; index < bytes; ++index)
    result[index] = pattern(static_cast<std::size_t>(from), static_cast<std::size_t>(to), message, index);
  return result;
}

std::atomic<std::uint64_t>& counter_in(std::byte* memory) {
  return *reinterpret_cast<std::atomic<std::uint64_t>*>(memory);
}

bool remote(const World& world, int peer) { return world.node_of[static_cast<std::size_t>(peer)] != world.node(); }

void check(Problems& problems, bool condition, const std::string& what) {
  if (!condition) problems.push_back(what);
}

/// The one sleep, as the engine does it.
void wait_once(Fabric& fabric, const std::function<bool()>& finished) {
  const std::uint64_t seen = fabric.bell().rings();
  if (fabric.progress() || finished()) return;
  if (const auto longest = fabric.longest_sleep(); longest && *longest == 0) return;
  fabric.bell().declare_asleep();
  if (fabric.bell().rings() == seen && !fabric.progress() && !finished() && fabric.poisoned().ok())
    fabric.sleep(std::min<Nanoseconds>(fabric.longest_sleep().value_or(guard), guard));
  fabric.bell().declare_awake();
}

}  // namespace

std::vector<int> chain_of_leaders(const World& world) {
  std::vector<int> neighbours;
  const int leader = world.leader_of(world.node());
  if (world.rank != leader) return {leader};
  for (const int member : world.ranks_of(world.node()))
    if (member != leader) neighbours.push_back(member);
  if (world.node() > 0) neighbours.push_back(world.leader_of(world.node() - 1));
  if (world.node() + 1 < world.node_count()) neighbours.push_back(world.leader_of(world.node() + 1));
  return neighbours;
}

bool drive(Fabric& fabric, const std::function<bool()>& finished) {
  const RealClock clock;
  const Nanoseconds deadline = clock.now() + guard;
  while (!finished()) {
    if (!fabric.poisoned().ok() || clock.now() > deadline) return false;
    wait_once(fabric, finished);
  }
  return true;
}

Status drive_until_poisoned(Fabric& fabric) {
  drive(fabric, [] { return false; });
  return fabric.poisoned();
}

Problems gathering(Fabric& fabric) {
  Problems problems;
  const World& world = fabric.world();
  for (std::size_t turn = 0; turn < 3; ++turn) {
    const auto bytes_of = [&](int rank) { return (static_cast<std::size_t>(rank) * 37 + turn * 11) % 101; };
    const auto all = fabric.gather_all(make_message(world.rank, 0, turn, bytes_of(world.rank)));
    check(problems, all.size() == static_cast<std::size_t>(world.size), "gather_all gives one entry per rank");
    for (int rank = 0; rank < world.size; ++rank)
      check(problems, all[static_cast<std::size_t>(rank)] == make_message(rank, 0, turn, bytes_of(rank)),
            "gather_all: contribution of rank " + std::to_string(rank));
  }
  return problems;
}

Problems shared_memory(Fabric& fabric, std::size_t area_bytes) {
  Problems problems;
  NodeLink& node = fabric.node();
  const auto self = static_cast<std::size_t>(node.self());
  std::byte* const mine = node.area(node.self());
  check(problems, reinterpret_cast<std::uintptr_t>(mine) % 4096 == 0, "areas are aligned");
  check(problems, std::all_of(mine, mine + area_bytes, [](std::byte value) { return value == std::byte{0}; }),
        "areas are zeroed");
  std::byte* const heap = node.heap(node.self());
  const std::size_t heap_probe = heap == nullptr ? 0 : node.heap_bytes() - 8;
  for (std::size_t index = 0; index < area_bytes; ++index) mine[index] = pattern(self, 0, 0, index);
  if (heap != nullptr) {
    check(problems, heap[0] == std::byte{0} && heap[heap_probe] == std::byte{0}, "heaps are zeroed");
    heap[0] = pattern(self, 1, 0, 0);
    heap[heap_probe] = pattern(self, 2, 0, 0);
  }
  fabric.gather_all({});
  for (int member = 0; member < node.size(); ++member) {
    const auto other = static_cast<std::size_t>(member);
    const std::string name = "of member " + std::to_string(member);
    bool same = true;
    for (std::size_t index = 0; index < area_bytes; ++index)
      same = same && node.area(member)[index] == pattern(other, 0, 0, index);
    check(problems, same, "the area " + name + " is shared");
    if (node.heap(member) != nullptr)
      check(problems,
            node.heap(member)[0] == pattern(other, 1, 0, 0) &&
                node.heap(member)[node.heap_bytes() - 8] == pattern(other, 2, 0, 0),
            "the heap " + name + " is shared");
  }
  fabric.gather_all({});
  std::fill(mine, mine + area_bytes, std::byte{0});
  fabric.gather_all({});
  return problems;
}

namespace {

const std::size_t message_sizes[] = {0, 1, 17, 4079, 4080, 4081, 8160, 100'003, 0, 1 << 20, 5};
constexpr std::size_t message_count = std::size(message_sizes);

struct EdgeTest {
  MessageEdge* edge;
  std::size_t sent = 0;
  std::size_t received = 0;

  bool finished() const { return sent == message_count && received == message_count && edge->writable(); }
};

void step_edge(EdgeTest& test, int self, Problems& problems) {
  const int peer = test.edge->peer();
  while (test.sent < message_count && test.edge->writable()) {
    test.edge->send(make_message(self, peer, test.sent, message_sizes[test.sent]));
    ++test.sent;
  }
  while (std::optional<Bytes> message = test.edge->receive()) {
    const bool expected = test.received < message_count &&
                          *message == make_message(peer, self, test.received, message_sizes[test.received]);
    check(problems, expected, "message " + std::to_string(test.received) + " from rank " + std::to_string(peer));
    ++test.received;
  }
}

}  // namespace

Problems messages(Fabric& fabric) {
  Problems problems;
  std::vector<EdgeTest> tests;
  for (const int peer : chain_of_leaders(fabric.world())) tests.push_back({&fabric.edge(peer)});
  const bool finished = drive(fabric, [&] {
    for (EdgeTest& test : tests) step_edge(test, fabric.world().rank, problems);
    return std::all_of(tests.begin(), tests.end(), [](const EdgeTest& test) { return test.finished(); });
  });
  check(problems, finished, "all messages arrive; poisoned: '" + fabric.poisoned().message() + "'");
  fabric.gather_all({});
  return problems;
}

namespace {

struct WireItem {
  int tag;
  std::size_t bytes;
};

const WireItem wire_items[] = {{5, 3}, {5, 0}, {9, 300'001}, {5, 1024}, {9, 1}, {0, (1 << 20) + 1}};
/// Receives are posted in another order, but in the same order for each tag.
const std::size_t receive_order[] = {5, 2, 0, 4, 1, 3};

}  // namespace

Problems wires(Fabric& fabric) {
  Problems problems;
  Wire& wire = fabric.wire();
  const World& world = fabric.world();
  std::vector<std::pair<int, std::size_t>> keys;  // (peer, item)
  std::vector<Bytes> sent;
  std::vector<Bytes> received;
  std::set<Wire::Ticket> open;
  for (int peer = 0; peer < world.size; ++peer) {
    if (!remote(world, peer)) continue;
    for (std::size_t item = 0; item < std::size(wire_items); ++item)
      sent.push_back(make_message(world.rank, peer, item, wire_items[item].bytes));
    for (const std::size_t item : receive_order) {
      keys.emplace_back(peer, item);
      received.emplace_back(wire_items[item].bytes);
    }
  }
  std::size_t next = 0;
  for (int peer = 0; peer < world.size; ++peer) {
    if (!remote(world, peer)) continue;
    for (const WireItem& item : wire_items) {
      open.insert(wire.send(peer, item.tag, sent[next].data(), item.bytes));
      ++next;
    }
  }
  for (std::size_t index = 0; index < keys.size(); ++index)
    open.insert(wire.receive(keys[index].first, wire_items[keys[index].second].tag, received[index].data(),
                             received[index].size()));
  check(problems, open.size() == 2 * keys.size(), "tickets are distinct");
  const bool finished = drive(fabric, [&] {
    std::erase_if(open, [&](Wire::Ticket ticket) { return wire.done(ticket); });
    return open.empty();
  });
  check(problems, finished, "all transfers end; poisoned: '" + fabric.poisoned().message() + "'");
  for (std::size_t index = 0; index < keys.size(); ++index)
    check(problems,
          received[index] == make_message(keys[index].first, world.rank, keys[index].second, received[index].size()),
          "transfer " + std::to_string(keys[index].second) + " from rank " + std::to_string(keys[index].first));
  fabric.gather_all({});
  return problems;
}

Problems local_hand_overs(Fabric& fabric, int count) {
  Problems problems;
  NodeLink& node = fabric.node();
  if (node.size() >= 2 && node.self() < 2) {
    const int other = 1 - node.self();
    auto& mine = counter_in(node.area(node.self()));
    auto& theirs = counter_in(node.area(other));
    for (std::uint64_t turn = 1; turn <= static_cast<std::uint64_t>(count); ++turn) {
      const std::uint64_t wanted = node.self() == 0 ? turn - 1 : turn;  // member 0 speaks first
      if (!drive(fabric, [&] { return theirs.load(std::memory_order_acquire) >= wanted; })) {
        problems.push_back("hand-over " + std::to_string(turn) + " was lost");
        break;
      }
      mine.store(turn, std::memory_order_release);
      node.ring(other);
    }
    drive(fabric, [&] { return theirs.load(std::memory_order_acquire) >= static_cast<std::uint64_t>(count); });
  }
  fabric.gather_all({});
  counter_in(node.area(node.self())).store(0);
  fabric.gather_all({});
  return problems;
}

Problems remote_hand_overs(Fabric& fabric, int count) {
  Problems problems;
  const World& world = fabric.world();
  for (int node = 0; node + 1 < world.node_count(); ++node) {
    const int first = world.leader_of(node);
    const int second = world.leader_of(node + 1);
    if (world.rank == first || world.rank == second) {
      MessageEdge& edge = fabric.edge(world.rank == first ? second : first);
      std::optional<Bytes> message;
      const auto arrived = [&] { return message || (message = edge.receive()); };
      for (int turn = 0; turn < count && problems.empty(); ++turn) {
        const Bytes ping = make_message(first, second, static_cast<std::size_t>(turn), 24);
        if (world.rank == first) edge.send(ping);
        check(problems, drive(fabric, arrived) && message == ping, "hand-over " + std::to_string(turn) + " was lost");
        if (world.rank == second) edge.send(ping);
        message.reset();
      }
      drive(fabric, [&] { return edge.writable(); });
    }
    fabric.gather_all({});
  }
  return problems;
}

Problems everything(Fabric& fabric, std::size_t area_bytes, int hand_overs) {
  Problems problems;
  const auto add = [&](Problems more) { problems.insert(problems.end(), more.begin(), more.end()); };
  add(gathering(fabric));
  add(shared_memory(fabric, area_bytes));
  add(messages(fabric));
  add(wires(fabric));
  add(local_hand_overs(fabric, hand_overs));
  add(remote_hand_overs(fabric, hand_overs / 20));
  add(messages(fabric));
  check(problems, fabric.poisoned().ok(), "no failure: " + fabric.poisoned().message());
  return problems;
}

Problems stopping(Fabric& fabric) {
  Problems problems;
  check(problems, fabric.node().size() == 1 || !fabric.node_stopped(), "nobody has stopped yet");
  fabric.gather_all({});
  fabric.declare_stopped();
  check(problems, drive(fabric, [&] { return fabric.node_stopped(); }), "everybody in the node stops");
  fabric.gather_all({});
  check(problems, fabric.kill_unstopped().empty(), "nobody is left to kill");
  fabric.say_goodbye();
  return problems;
}

}  // namespace treering::transport::conformance
