#include "transport/inproc/state.h"

#include <algorithm>
#include <numeric>

#include "transport/frame_ring.h"
#include "transport/ring_channel.h"

namespace treering::transport::inproc {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool contains(const std::vector<int>& values, int value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// A refusal by one rank splits its whole node, as on a real machine.
std::vector<int> labels_for(int size, const FabricOptions& options) {
  std::vector<int> labels = options.node_map;
  if (labels.empty()) labels.assign(at(size), 0);
  check_node_map(labels, size);
  const int unused = *std::max_element(labels.begin(), labels.end()) + 1;
  std::set<int> refused;
  for (const int rank : options.refuse.segments) refused.insert(labels[at(rank)]);
  for (int rank = 0; rank < size; ++rank)
    if (!options.shared_memory || refused.contains(labels[at(rank)])) labels[at(rank)] = unused + rank;
  return labels;
}

Mapping memory_or_throw(std::size_t bytes) {
  Mapping mapping = Mapping::anonymous(bytes);
  if (bytes > 0 && mapping.data() == nullptr)
    throw Error(StatusCode::unavailable, "the system refuses " + std::to_string(bytes) + " bytes of memory");
  return mapping;
}

}  // namespace

State::State(int size, FabricOptions options, std::vector<int> devices)
    : timeout_(options.start_timeout),
      heap_bytes_(options.heap_bytes),
      root_settings_(options.settings),
      mailboxes_(at(size)) {
  if (size < 1) throw Error(StatusCode::invalid_argument, "a job has at least one rank");
  for (int rank = 0; rank < size; ++rank) eventfds_.push_back(make_bell_descriptor());
  make_world(size, options, std::move(devices));
  for (int node = 0; node < world_.node_count(); ++node) make_node(node, options);
  make_remote_rings();
  meeting_ = new_meeting();
}

void State::make_world(int size, FabricOptions& options, std::vector<int> devices) {
  const std::vector<int> labels = labels_for(size, options);
  world_ = transport::make_world(0, labels, std::vector<std::string>(at(size)));
  for (int rank = 0; rank < size; ++rank) {
    world_.hosts[at(rank)] = "host" + std::to_string(world_.node_of[at(rank)]);
    local_rank_.push_back(world_.local_rank_of(rank));
  }
  if (devices.empty()) devices.assign(at(size), options.devices);
  world_.devices = std::move(devices);
  if (options.tailor) options.tailor(options, world_, root_settings_);
  for (int rank = 0; rank < size; ++rank)
    neighbours_.push_back(options.neighbours ? options.neighbours(world_of(rank)) : std::vector<int>{});
  check_neighbours(neighbours_);
}

void State::make_node(int number, const FabricOptions& options) {
  const std::vector<int> ranks = world_.ranks_of(number);
  Node node;
  node.layout =
      SegmentLayout(static_cast<int>(ranks.size()), options.area_bytes, edges_inside(world_, neighbours_, number));
  node.segment = memory_or_throw(node.layout.bytes());
  for (const int rank : ranks)
    node.heaps.push_back(contains(options.refuse.heaps, rank) ? Mapping() : Mapping::anonymous(options.heap_bytes));
  nodes_.push_back(std::move(node));
}

void State::make_remote_rings() {
  std::size_t bytes = 0;
  for (int from = 0; from < size(); ++from)
    for (const int to : neighbours_of(from)) {
      if (world_.node_of[at(from)] == world_.node_of[at(to)]) continue;
      remote_rings_[{from, to}] = bytes;
      bytes += frame_ring_bytes;
    }
  remote_memory_ = memory_or_throw(bytes);
}

World State::world_of(int rank) const {
  World world = world_;
  world.rank = rank;
  return world;
}

SharedNode State::node_of(int rank) const {
  const int number = world_.node_of[at(rank)];
  const Node& node = nodes_[at(number)];
  std::vector<int> eventfds;
  for (const int member : world_.ranks_of(number)) eventfds.push_back(eventfds_[at(member)].get());
  std::vector<std::byte*> heaps;
  for (const Mapping& heap : node.heaps) heaps.push_back(heap.data());
  return {local_rank_[at(rank)], node.layout, node.segment.data(), eventfds, std::move(heaps), heap_bytes_};
}

std::unique_ptr<FramedEdge> State::remote_edge(int rank, int peer) const {
  std::byte* const base = remote_memory_.data();
  return std::make_unique<FramedEdge>(
      peer, std::make_unique<RingChannel>(base + remote_rings_.at({rank, peer}), base + remote_rings_.at({peer, rank}),
                                          bell(peer)));
}

MemberBlock& State::block(int rank) const {
  const Node& node = nodes_[at(world_.node_of[at(rank)])];
  return *reinterpret_cast<MemberBlock*>(node.segment.data() + node.layout.block(local_rank_[at(rank)]));
}

std::shared_ptr<State::Meeting> State::new_meeting() const {
  auto meeting = std::make_shared<Meeting>();
  meeting->contributions.resize(at(size()));
  for (int rank = 0; rank < size(); ++rank) meeting->missing.insert(rank);
  return meeting;
}

std::vector<Bytes> State::gather_all(int rank, const Bytes& mine) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Meeting> meeting = meeting_;
  meeting->contributions[at(rank)] = mine;
  meeting->missing.erase(rank);
  if (meeting->missing.empty()) {
    meeting_ = new_meeting();
    all_met_.notify_all();
  }
  const auto met = [&] { return meeting->missing.empty(); };
  if (timeout_.count() == 0) {
    all_met_.wait(lock, met);
  } else if (!all_met_.wait_for(lock, timeout_, met)) {
    std::string missing;
    for (const int other : meeting->missing) missing += " " + std::to_string(other);
    throw Error(StatusCode::timed_out, "start did not finish in time: still waiting for rank(s)" + missing);
  }
  return meeting->contributions;
}

void State::kill(int rank) {
  block(rank).dead.store(1, std::memory_order_seq_cst);
  for (const int member : world_.ranks_of(world_.node_of[at(rank)])) bell(member).ring();
  for (const int neighbour : neighbours_of(rank)) bell(neighbour).ring();
}

}  // namespace treering::transport::inproc
