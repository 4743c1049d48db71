#include "transport/mpi/start.h"

#include <mpi.h>

#include <algorithm>
#include <set>
#include <string>

#include "transport/gather.h"
#include "transport/mpi/fabric.h"
#include "transport/mpi/places.h"
#include "transport/mpi/runtime.h"
#include "transport/start_watchdog.h"
#include "transport/tcp/connect.h"

namespace treering::transport::mpi {

namespace {

constexpr std::chrono::seconds connect_timeout{5};

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool contains(const std::vector<int>& values, int value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

Bytes encode(const FabricOptions& options) {
  ByteWriter writer;
  writer.put_varint(options.heap_bytes);
  writer.put_varint(static_cast<std::uint64_t>(options.devices));
  writer.put_varint(options.shared_memory ? 1 : 0);
  writer.put_varint(options.knocks ? 1 : 0);
  writer.put_varint(options.node_map.size());
  for (const int node : options.node_map) writer.put_varint(static_cast<std::uint64_t>(node));
  return writer.take();
}

struct Agreed {
  std::size_t heap_bytes = 0;
  std::vector<int> devices;  // per rank
};

/// Everything but heaps and devices must be equal; of the heaps the smallest counts.
Agreed agree_options(const FabricOptions& options, const Gather& gather) {
  const std::vector<Bytes> all = gather(encode(options));
  Agreed agreed{options.heap_bytes, {}};
  std::set<Bytes> kinds;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    ByteReader reader(all[rank]);
    const std::size_t heap = reader.get_varint();
    agreed.heap_bytes = std::min(agreed.heap_bytes, heap);
    agreed.devices.push_back(static_cast<int>(reader.get_varint()));
    ByteWriter rest;
    while (!reader.at_end()) rest.put_varint(reader.get<std::uint8_t>());
    kinds.insert(rest.take());
    if (kinds.size() > 1)
      throw Error(StatusCode::invalid_argument,
                  "ranks 0 and " + std::to_string(rank) +
                      " were started with different settings: TREERING_NODE_MAP, TREERING_SHARED_MEMORY "
                      "and TREERING_KNOCKS must be equal on all ranks");
  }
  return agreed;
}

/// Builds the parts one after the other; every step is collective.
class Starting {
 public:
  Starting(const FabricOptions& options, const Log& log, StartWatchdog& watchdog)
      : options_(options), log_(log), watchdog_(watchdog) {}

  Parts run(MPI_Comm job) {
    watchdog_.step("duplicating the communicator");
    parts_.communicators = std::make_unique<Communicators>(job);
    rank_ = parts_.communicators->rank();
    size_ = parts_.communicators->size();
    watchdog_.rank(rank_);
    gather_ = [this](const Bytes& mine) { return parts_.communicators->gather_all(mine); };
    watchdog_.step("comparing the settings of all ranks");
    Agreed agreed = agree_options(options_, gather_);
    parts_.heap_bytes = options_.heap_bytes = agreed.heap_bytes;
    devices_ = std::move(agreed.devices);
    parts_.root_settings = gather_(rank_ == 0 ? options_.settings : Bytes{})[0];
    watchdog_.step("finding out which ranks share memory");
    find_nodes();
    watchdog_.step("sharing memory inside the nodes");
    while (!share_memory()) {
    }
    watchdog_.step("connecting the neighbours between nodes");
    connect();
    return std::move(parts_);
  }

 private:
  void find_nodes() {
    const std::vector<Place> places = find_places(parts_.communicators->start(), gather_);
    for (const Place& place : places) hosts_.push_back(place.host);
    Nodes nodes = nodes_of(places, options_.node_map);
    if (rank_ == 0 && !nodes.warning.empty()) log_.warning(nodes.warning);
    labels_ = std::move(nodes.labels);
    if (!options_.shared_memory)
      for (int rank = 0; rank < size_; ++rank) labels_[at(rank)] = rank;
  }

  /// True once every node that is left shares memory; ranks of those that cannot become nodes of their own.
  bool share_memory() {
    parts_.world = make_world(rank_, labels_, hosts_);
    parts_.world.devices = devices_;
    const World& world = parts_.world;
    FabricOptions options = options_;
    if (options.tailor) options.tailor(options, world, parts_.root_settings);
    exchange_neighbours(options);
    const int members = static_cast<int>(world.ranks_of(world.node()).size());
    parts_.layout = SegmentLayout(members, options.area_bytes, edges_inside(world, adjacency_, world.node()));
    shm::NodeMemoryResult result = shm::share_node_memory(world, parts_.layout, options, gather_);
    const bool leads = rank_ == world.leader_of(world.node());
    if (leads && !result.heap_reason.empty()) log_.warning(result.heap_reason);
    parts_.memory = std::move(result.memory);
    labels_ = world.node_of;
    bool complete = true;
    for (int rank = 0; rank < size_; ++rank) {
      const int node = world.node_of[at(rank)];
      const std::string& reason = result.node_reason[at(node)];
      if (reason.empty()) continue;
      complete = false;
      if (leads && rank == rank_)
        log_.warning("shared memory cannot be had on host " + hosts_[at(rank)] + " (" + reason +
                     "): every rank there is treated as a node of its own");
      labels_[at(rank)] = size_ + rank;  // no node has so high a number
    }
    return complete;
  }

  void exchange_neighbours(const FabricOptions& options) {
    ByteWriter writer;
    writer.put_varint(options.area_bytes);
    if (options.neighbours)
      for (const int neighbour : options.neighbours(parts_.world))
        writer.put_varint(static_cast<std::uint64_t>(neighbour));
    adjacency_.clear();
    for (const Bytes& bytes : gather_(writer.take())) {
      ByteReader reader(bytes);
      if (reader.get_varint() != options.area_bytes)
        throw Error(StatusCode::internal, "the ranks disagree about the size of their lanes; rank " +
                                              std::to_string(rank_) + " wants " + std::to_string(options.area_bytes) +
                                              " bytes");
      std::vector<int> neighbours;
      while (!reader.at_end()) neighbours.push_back(static_cast<int>(reader.get_varint()));
      adjacency_.push_back(std::move(neighbours));
    }
    check_neighbours(adjacency_);
    parts_.neighbours = adjacency_[at(rank_)];
  }

  void connect() {
    Adjacency elsewhere(adjacency_.size());
    std::size_t edges = 0;
    for (int rank = 0; rank < size_; ++rank)
      for (const int peer : adjacency_[at(rank)])
        if (parts_.world.node_of[at(rank)] != parts_.world.node_of[at(peer)]) {
          elsewhere[at(rank)].push_back(peer);
          ++edges;
        }
    if (!options_.knocks || edges == 0) return;
    const bool refuse = contains(options_.refuse.sockets, rank_);
    tcp::Lines lines = tcp::connect_lines(rank_, elsewhere, hosts_, refuse, gather_, Deadline(connect_timeout));
    if (rank_ == 0 && !lines.refusals.empty())
      log_.warning("some neighbours cannot wake each other over TCP and look every 10 ms instead (first: " +
                   lines.refusals.front() + ")");
    parts_.lines = std::move(lines.by_peer);
  }

  FabricOptions options_;
  const Log& log_;
  StartWatchdog& watchdog_;
  Parts parts_;
  Gather gather_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<std::string> hosts_;
  std::vector<int> devices_;
  std::vector<int> labels_;
  Adjacency adjacency_;
};

}  // namespace

std::unique_ptr<Fabric> start(const FabricOptions& options, const void* communicator, const Log& log) {
  StartWatchdog watchdog(options.start_timeout);
  watchdog.step("initialising MPI");
  join();
  const MPI_Comm job = communicator != nullptr ? *static_cast<const MPI_Comm*>(communicator) : MPI_COMM_WORLD;
  auto fabric = std::make_unique<MpiFabric>(Starting(options, log, watchdog).run(job));
  watchdog.step("waiting until all ranks are ready");
  fabric->gather_all({});
  return fabric;
}

}  // namespace treering::transport::mpi
