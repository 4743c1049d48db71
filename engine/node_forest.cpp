#include "engine/node_forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "topology/build/cost.h"
#include "topology/build/host_forest.h"
#include "topology/hardware/projection.h"

namespace treering {
namespace {

using topology::Forest;
using topology::HostPlaces;
using topology::LinkGraph;

constexpr std::string_view two_level = "two-level";
constexpr std::size_t most_on_one_level = 16;

/// Members are processes that move bytes through shared memory; only the links' proportions are the file's.
topology::CostConstants constants_for(const LinkGraph& links) {
  topology::CostConstants constants = topology::default_constants(topology::Fabric::shared_memory);
  if (links.unit == "links")
    constants.unit_bytes_per_second = topology::default_constants(topology::Fabric::nvlink).unit_bytes_per_second;
  return constants;
}

/// The fastest by prediction; -1 if all would take for ever.
int fastest(const LinkGraph& links, const std::vector<Forest>& forests, std::uint64_t bytes, std::string& why) {
  const topology::Choice choice = topology::choose(links, forests, bytes, constants_for(links));
  if (!std::isfinite(choice.predictions[choice.forest].seconds)) return -1;
  why = "; chosen by prediction: " + choice.why;
  return static_cast<int>(choice.forest);
}

std::string figures(const Forest& forest, const LinkGraph& links) {
  std::string text = fmt::format("{} distinct, height {}", forest.trees.size(), forest.height);
  if (forest.rate > topology::Rational(0) && forest.bound.rate > topology::Rational(0))
    text += fmt::format(", rate {} of at most {} {} ({})", forest.rate.text(), forest.bound.rate.text(), links.unit,
                        forest.operation == topology::Operation::allreduce ? "allreduce" : "allgather");
  if (!forest.reason.empty()) text += "; relaxed: " + forest.reason;
  if (!forest.reduce_trees.empty()) text += "; its directions differ, and data is reduced along trees of its own";
  return text;
}

Forest built(std::string_view builder, const topology::Projection& over) {
  topology::BuildOptions options;
  options.preferred_roots = over.near_network;
  return topology::build_forest(builder, over.links, options);
}

/// Trees over the machine's devices. False if it cannot be used.
bool plan_devices(const NodeTask& task, NodeTrees& result) {
  std::vector<int> devices = task.machine->graph.devices();
  const std::size_t members = task.domain.size();
  if (devices.size() < members) {
    result.declined = fmt::format("it has {} devices, but a node of this job has {} ranks", devices.size(), members);
    return false;
  }
  devices.resize(members);
  const topology::Projection over = topology::project(task.machine->graph, devices);
  std::string why;
  std::vector<Forest> forests;
  for (const topology::Builder& builder : topology::builders())
    if (task.builder == "auto" || task.builder == builder.name) forests.push_back(built(builder.name, over));
  if (forests.empty()) {
    result.declined = fmt::format("builder {} is for NUMA domains, and it has devices", task.builder);
    return false;
  }
  const int best = task.builder == "auto" && members > 1 ? fastest(over.links, forests, task.bytes, why) : 0;
  if (best < 0) {
    result.declined = fmt::format("no links join its first {} devices", members);
    return false;
  }
  result.links = over.links;
  result.forest = std::move(forests[static_cast<std::size_t>(best)]);
  result.what = fmt::format("{} trees over the first {} devices of {}: {}{}", result.forest.builder, members,
                            task.machine->source, figures(result.forest, result.links), why);
  return true;
}

/// Numbers of the domains that members are in: their own, or, where a file says that there are domains and a member is
/// bound to none of them, dealt in blocks as a launcher would.
std::vector<int> numbers_of_domains(const NodeTask& task) {
  std::vector<int> known;
  if (task.machine != nullptr)
    for (const int node : task.machine->graph.of_kind(topology::NodeKind::cpu))
      known.push_back(task.machine->graph.node(node).number);
  std::vector<int> numbers = task.domain;
  const bool all_bound =
      std::ranges::all_of(numbers, [&](int number) { return std::ranges::find(known, number) != known.end(); });
  if (all_bound) return numbers;
  const bool dealt = task.machine != nullptr && task.machine->given && !known.empty();
  for (std::size_t member = 0; member < numbers.size(); ++member)
    numbers[member] = dealt ? known[member * known.size() / numbers.size()] : -1;
  return numbers;
}

std::int64_t bus_speed(const SeenMachine* machine, int from, int to) {
  constexpr std::int64_t usual = 10'000;
  if (machine == nullptr) return usual;
  int ends[2] = {-1, -1};
  for (const int node : machine->graph.of_kind(topology::NodeKind::cpu))
    for (const bool second : {false, true})
      if (machine->graph.node(node).number == (second ? to : from)) ends[second] = node;
  const topology::HardwareLink* bus = ends[0] < 0 || ends[1] < 0 ? nullptr : machine->graph.between(ends[0], ends[1]);
  return bus != nullptr && bus->capacity > 0 ? bus->capacity : usual;
}

HostPlaces places_of(const NodeTask& task) {
  const std::vector<int> numbers = numbers_of_domains(task);
  const std::set<int> distinct(numbers.begin(), numbers.end());
  HostPlaces places;
  for (const int number : numbers)
    places.domain.push_back(static_cast<int>(std::distance(distinct.begin(), distinct.find(number))));
  for (const int from : distinct)
    for (const int to : distinct) places.bus.push_back(from == to ? 0 : bus_speed(task.machine, from, to));
  return places;
}

std::vector<Forest> host_forests(const NodeTask& task, const HostPlaces& places, const LinkGraph& links) {
  std::vector<Forest> forests;
  const bool free = task.builder == "auto";
  if (free || task.builder == "star") forests.push_back(topology::host_stars(links, task.shares));
  if ((free || task.builder == two_level) && places.domains() > 1)
    forests.push_back(topology::two_level_forest(links, places.domain, task.shares));
  const bool many = places.domain.size() > most_on_one_level;
  if ((free && many) || (task.builder == two_level && places.domains() == 1))
    forests.push_back(topology::two_level_forest(links, topology::square_groups(places.domain), task.shares));
  if (forests.empty()) forests.push_back(topology::build_forest(task.builder, links));
  return forests;
}

void plan_host(const NodeTask& task, NodeTrees& result) {
  const HostPlaces places = places_of(task);
  result.links = topology::host_links(places);
  std::string why;
  std::vector<Forest> forests = host_forests(task, places, result.links);
  const int best = task.domain.size() > 1 && forests.size() > 1 ? fastest(result.links, forests, task.bytes, why) : 0;
  result.forest = std::move(forests[static_cast<std::size_t>(std::max(best, 0))]);
  result.plain = result.forest.builder == "star";
  result.what = fmt::format("{} trees between {} members in {} NUMA domain{} of {}: {}{}", result.forest.builder,
                            task.domain.size(), places.domains(), places.domains() == 1 ? "" : "s",
                            task.machine == nullptr ? "a machine that nobody described" : task.machine->source,
                            figures(result.forest, result.links), why);
}

}  // namespace

bool is_node_builder(std::string_view name) {
  const auto named = [&](const topology::Builder& builder) { return builder.name == name; };
  return name == two_level || std::ranges::any_of(topology::builders(), named);
}

std::string node_builder_names() {
  std::string names = "auto";
  for (const topology::Builder& builder : topology::builders()) names += ", " + std::string(builder.name);
  return names + ", " + std::string(two_level);
}

NodeTrees plan_node(const NodeTask& task) {
  NodeTrees result;
  const bool devices =
      task.machine != nullptr && task.machine->given &&
      (!task.machine->graph.of_kind(topology::NodeKind::gpu).empty() || task.machine->graph.devices().empty());
  if (devices && plan_devices(task, result)) return result;
  NodeTask host = task;
  if (devices) {
    host.machine = nullptr;
    host.builder = "auto";
  }
  plan_host(host, result);
  return result;
}

}  // namespace treering
