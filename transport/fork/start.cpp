#include "transport/fork/start.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "transport/fork/fabric.h"
#include "transport/fork/hub.h"

namespace treering::transport::fork {

namespace {

/// A timeout of zero waits for ever, which a day is.
std::chrono::milliseconds patience(std::chrono::milliseconds timeout) {
  return timeout.count() > 0 ? timeout : std::chrono::hours(24);
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

void check_one_node(const FabricOptions& options, int size) {
  if (!options.node_map.empty()) check_node_map(options.node_map, size);
  const auto differs = [&](int node) { return node != options.node_map.front(); };
  if (!std::ranges::any_of(options.node_map, differs) && (options.shared_memory || size == 1)) return;
  throw Error(StatusCode::invalid_argument,
              "forked processes are one node: TREERING_NODE_MAP and TREERING_SHARED_MEMORY cannot make several of "
              "them; start the job with mpiexec and a Treering that has MPI");
}

/// Every rank's neighbours; throws Error if the ranks disagree about what they lay out.
Adjacency exchange_neighbours(const FabricOptions& options, const World& world, const Gather& gather) {
  ByteWriter writer;
  writer.put_varint(options.area_bytes);
  writer.put_varint(options.heap_bytes);
  if (options.neighbours)
    for (const int neighbour : options.neighbours(world)) writer.put_varint(static_cast<std::uint64_t>(neighbour));
  Adjacency adjacency;
  for (const Bytes& bytes : gather(writer.take())) {
    ByteReader reader(bytes);
    const std::uint64_t area = reader.get_varint();
    if (area != options.area_bytes || reader.get_varint() != options.heap_bytes)
      throw Error(StatusCode::invalid_argument, "ranks " + std::to_string(world.rank) + " and " +
                                                    std::to_string(adjacency.size()) +
                                                    " were started with different settings: TREERING_HEAP");
    std::vector<int>& neighbours = adjacency.emplace_back();
    while (!reader.at_end()) neighbours.push_back(static_cast<int>(reader.get_varint()));
  }
  check_neighbours(adjacency);
  return adjacency;
}

}  // namespace

std::unique_ptr<Fabric> start(const FabricOptions& options, const Seat& seat, const Log& log) {
  check_one_node(options, seat.size);
  const std::chrono::milliseconds timeout = patience(options.start_timeout);
  const Deadline deadline(timeout);
  const Gather gather = [&](const Bytes& mine) { return gather_over(seat, mine, deadline); };
  Parts parts;
  parts.seat = seat;
  parts.timeout = timeout;
  parts.world = make_world(seat.rank, std::vector<int>(static_cast<std::size_t>(seat.size)),
                           std::vector<std::string>(static_cast<std::size_t>(seat.size), host_name()));
  ByteWriter own;
  own.put_varint(static_cast<std::uint64_t>(options.devices));
  for (const Bytes& theirs : gather(own.take()))
    parts.world.devices.push_back(static_cast<int>(ByteReader(theirs).get_varint()));
  parts.root_settings = gather(seat.rank == 0 ? options.settings : Bytes{})[0];
  FabricOptions tailored = options;
  if (options.tailor) options.tailor(tailored, parts.world, parts.root_settings);
  const Adjacency adjacency = exchange_neighbours(tailored, parts.world, gather);
  parts.neighbours = adjacency[static_cast<std::size_t>(seat.rank)];
  parts.heap_bytes = tailored.heap_bytes;
  parts.layout = SegmentLayout(seat.size, tailored.area_bytes, edges_inside(parts.world, adjacency, 0));
  shm::NodeMemoryResult memory = shm::share_node_memory(parts.world, parts.layout, tailored, gather);
  if (!memory.node_reason[0].empty())
    throw Error(StatusCode::unavailable, "forked processes need shared memory: " + memory.node_reason[0]);
  if (seat.rank == 0 && !memory.heap_reason.empty()) log.warning(memory.heap_reason);
  parts.memory = std::move(memory.memory);
  auto fabric = std::make_unique<ForkFabric>(std::move(parts));
  fabric->gather_all({});
  return fabric;
}

}  // namespace treering::transport::fork
