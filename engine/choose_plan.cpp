#include "engine/choose_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include "base/parse_value.h"
#include "ops/executor.h"
#include "topology/build/cost.h"
#include "topology/build/forest.h"
#include "topology/build/forest_plan.h"
#include "topology/hardware/projection.h"

namespace treering {
namespace {

using topology::Forest;
using topology::LinkGraph;
using topology::NodeForest;

bool is_builder(std::string_view name) {
  return std::ranges::any_of(topology::builders(), [&](const auto& builder) { return builder.name == name; });
}

std::string builder_names() {
  std::string names = "auto";
  for (const topology::Builder& builder : topology::builders()) names += ", " + std::string(builder.name);
  return names;
}

topology::Projection links_between(const topology::HardwareGraph& graph, std::size_t members) {
  std::vector<int> devices = graph.devices();
  devices.resize(members);
  return topology::project(graph, devices);
}

Forest forest_for(std::string_view builder, const topology::Projection& over) {
  topology::BuildOptions options;
  options.preferred_roots = over.near_network;
  return topology::build_forest(builder, over.links, options);
}

/// Members are processes that move bytes through shared memory; only the links' proportions are the file's.
topology::CostConstants constants_for(const LinkGraph& links) {
  topology::CostConstants constants = topology::default_constants(topology::Fabric::shared_memory);
  if (links.unit == "links")
    constants.unit_bytes_per_second = topology::default_constants(topology::Fabric::nvlink).unit_bytes_per_second;
  return constants;
}

struct Pick {
  std::string builder;  ///< empty: nothing joins the members
  std::string why;
};

/// The builder with the least predicted time for `bytes` on the largest node.
Pick pick_builder(const topology::Projection& over, std::uint64_t bytes) {
  std::vector<Forest> forests;
  for (const topology::Builder& builder : topology::builders()) forests.push_back(forest_for(builder.name, over));
  const topology::Choice choice = topology::choose(over.links, forests, bytes, constants_for(over.links));
  if (!std::isfinite(choice.predictions[choice.forest].seconds)) return {"", ""};
  return {forests[choice.forest].builder, "; chosen by prediction: " + choice.why};
}

std::vector<std::vector<int>> ranks_by_node(const std::vector<int>& node_of) {
  std::vector<std::vector<int>> ranks(static_cast<std::size_t>(*std::ranges::max_element(node_of) + 1));
  for (std::size_t rank = 0; rank < node_of.size(); ++rank)
    ranks[static_cast<std::size_t>(node_of[rank])].push_back(static_cast<int>(rank));
  return ranks;
}

std::string describe(const std::string& path, const Forest& forest, const LinkGraph& links) {
  std::string text = fmt::format("{} trees over the first {} devices of {}: {} distinct, height {}", forest.builder,
                                 links.members, treering::quoted(path), forest.trees.size(), forest.height);
  if (forest.rate > topology::Rational(0))
    text += fmt::format(", rate {} of at most {} {} ({})", forest.rate.text(), forest.bound.rate.text(), links.unit,
                        forest.operation == topology::Operation::allreduce ? "allreduce" : "allgather");
  if (!forest.reason.empty()) text += "; relaxed: " + forest.reason;
  if (!forest.reduce_trees.empty()) text += "; its directions differ, and data is reduced along the broadcast trees";
  return text;
}

PlanChoice stars(std::string why) { return {std::nullopt, "stars: " + std::move(why), {}, {}}; }

PlanChoice stars_for_want_of(const std::string& path, const std::string& reason) {
  PlanChoice choice = stars("the topology in " + treering::quoted(path) + " is not used: " + reason);
  choice.warnings.push_back("topology (TREERING_TOPOLOGY) " + treering::quoted(path) + " is not used: " + reason +
                            "; data moves along stars");
  return choice;
}

PlanChoice plan_trees(const Config& config, const Tunables& tunables, const std::vector<int>& node_of,
                      const topology::HardwareGraph& graph) {
  const std::vector<std::vector<int>> nodes = ranks_by_node(node_of);
  const auto sizes = [](const std::vector<int>& ranks) { return ranks.size(); };
  const std::size_t largest = std::ranges::max(nodes, {}, sizes).size();
  if (graph.devices().size() < largest)
    return stars_for_want_of(config.topology, fmt::format("it has {} devices, but a node of this job has {} ranks",
                                                          graph.devices().size(), largest));
  Pick pick{config.builder, ""};
  if (config.builder == "auto") pick = pick_builder(links_between(graph, largest), tunables.piece_limit);
  if (pick.builder.empty())
    return stars_for_want_of(config.topology, fmt::format("no links join its first {} devices", largest));

  PlanChoice choice;
  std::map<std::size_t, std::pair<LinkGraph, Forest>> by_size;
  std::vector<NodeForest> forests;
  std::vector<int> order;
  for (const std::vector<int>& ranks : nodes) {
    if (!by_size.contains(ranks.size())) {
      const topology::Projection over = links_between(graph, ranks.size());
      by_size[ranks.size()] = {over.links, forest_for(pick.builder, over)};
    }
    const auto& [links, forest] = by_size[ranks.size()];
    order.push_back(static_cast<int>(order.size()));
    forests.push_back({ranks, links, forest});
  }
  choice.plan = topology::forest_plan(forests, order, most_shares, tunables.chunk_bytes, tunables.slot_bytes);
  for (const auto& [size, built] : by_size)
    choice.why = describe(config.topology, built.second, built.first) + (choice.why.empty() ? "" : " | ") + choice.why;
  choice.why += pick.why;
  return choice;
}

}  // namespace

topology::Plan star_plan(const std::vector<int>& node_of, const Tunables& tunables) {
  return topology::star_plan(node_of, most_shares, tunables.chunk_bytes, tunables.slot_bytes);
}

std::size_t most_area_bytes(const std::vector<int>& node_of, const Tunables& tunables) {
  topology::Plan plan = star_plan(node_of, tunables);
  plan.shares = most_shares;  // the area grows with the shares and does not depend on the trees
  return ops::area_bytes(plan, tunables);
}

topology::ReadResult read_topology_file(const std::string& path) {
  topology::ReadResult failed;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!error && !std::filesystem::is_regular_file(status)) error = std::make_error_code(std::errc::invalid_argument);
  std::ifstream file;
  errno = 0;
  if (!error) file.open(path, std::ios::binary);
  if (!error && !file) error = std::error_code(errno, std::generic_category());
  if (error) {
    failed.warnings.push_back("cannot read it: " +
                              (error == std::errc::invalid_argument ? "it is not a file" : error.message()));
    return failed;
  }
  std::string text(topology::most_topology_bytes + 1, '\0');  // one more than allowed, for the reader to refuse
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return topology::read_topology(text, path);
}

PlanChoice choose_plan(const Config& config, const Tunables& tunables, const std::vector<int>& node_of,
                       const topology::ReadResult& file) {
  PlanChoice choice = stars("no topology is given (TREERING_TOPOLOGY)");
  if (config.builder != "auto" && !is_builder(config.builder)) {
    choice.problem =
        Status(StatusCode::invalid_argument, "builder (TREERING_BUILDER) is " + treering::quoted(config.builder) +
                                                 ": it must be one of " + builder_names());
    return choice;
  }
  if (config.topology.empty()) {
    if (config.builder != "auto")
      choice.warnings.push_back("builder (TREERING_BUILDER) is " + treering::quoted(config.builder) +
                                ", but it has no topology to plan for; TREERING_TOPOLOGY names a file");
    return choice;
  }
  if (tunables.deterministic != 0)
    return stars("deterministic mode (TREERING_DETERMINISTIC) leaves the topology in " +
                 treering::quoted(config.topology) +
                 " unused, because only on stars results do not depend on batching");
  if (!file.graph) return stars_for_want_of(config.topology, file.warnings.empty() ? "" : file.warnings.back());
  try {
    choice = plan_trees(config, tunables, node_of, *file.graph);
  } catch (const std::exception& error) {  // memory, or a graph beyond the builders: the job can still run
    choice = stars_for_want_of(config.topology, error.what());
  }
  if (!file.warnings.empty())
    choice.warnings.push_back(
        fmt::format("topology (TREERING_TOPOLOGY) {}: {}{}", treering::quoted(config.topology), file.warnings.front(),
                    file.warnings.size() > 1
                        ? fmt::format(" (and {} more, which treering-topo --file shows)", file.warnings.size() - 1)
                        : ""));
  return choice;
}

}  // namespace treering
