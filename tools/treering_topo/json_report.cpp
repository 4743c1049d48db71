#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/treering_topo/report.h"
#include "tools/treering_topo/words.h"
#include "topology/hardware/path_class.h"

namespace treering::tools {
namespace {

using nlohmann::ordered_json;
using topology::Forest;
using topology::ForestTree;

ordered_json devices_json(const Report& report) {
  ordered_json list = ordered_json::array();
  for (const int index : report.devices) {
    const topology::HardwareNode& node = report.graph.node(index);
    list.push_back({{"name", node.name},
                    {"kind", name_of(node.kind)},
                    {"bus", node.bus_id},
                    {"under", node.parent < 0 ? "" : report.graph.node(node.parent).name},
                    {"detail", node.detail},
                    {"found_by", provenance_text(report.graph, node.found)}});
  }
  return list;
}

ordered_json hardware_links(const Report& report) {
  ordered_json list = ordered_json::array();
  for (const topology::HardwareLink& link : report.graph.links()) {
    list.push_back({{"from", report.graph.node(link.from).name},
                    {"to", report.graph.node(link.to).name},
                    {"kind", name_of(link.kind)},
                    {"count", link.count},
                    {"mb_per_second", link.capacity},
                    {"found_by", provenance_text(report.graph, link.found)},
                    {"speed_by", provenance_text(report.graph, link.speed)}});
  }
  return list;
}

ordered_json paths_json(const Report& report) {
  const auto classes = topology::path_classes(report.graph, report.devices);
  const std::size_t n = report.devices.size();
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < n; ++i) {
    ordered_json row = ordered_json::array();
    for (std::size_t j = 0; j < n; ++j)
      row.push_back(cell_text(report.graph, report.devices[i], report.devices[j], classes[i * n + j]));
    rows.push_back(std::move(row));
  }
  return rows;
}

ordered_json capacity_json(const topology::LinkGraph& links) {
  ordered_json rows = ordered_json::array();
  for (int i = 0; i < links.vertices; ++i) {
    ordered_json row = ordered_json::array();
    for (int j = 0; j < links.vertices; ++j) row.push_back(links.at(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

ordered_json tree_json(const ForestTree& tree) {
  ordered_json edges = ordered_json::array(), routes = ordered_json::array();
  for (std::size_t member = 0; member < tree.parent.size(); ++member) {
    if (tree.parent[member] < 0) continue;
    edges.push_back({tree.parent[member], member});
    routes.push_back(tree.route[member]);
  }
  return {{"root", tree.root},
          {"share", tree.share.text()},
          {"share_value", tree.share.value()},
          {"edges", edges},
          {"routes", routes}};
}

ordered_json trees_json(const std::vector<ForestTree>& trees) {
  ordered_json list = ordered_json::array();
  for (const ForestTree& tree : trees) list.push_back(tree_json(tree));
  return list;
}

ordered_json times_json(const Report& report, const Forest& forest) {
  ordered_json list = ordered_json::array();
  for (const std::uint64_t size : report.sizes) {
    const topology::Prediction one = predict(report.projection.links, forest, size, report.constants);
    const bool known = std::isfinite(one.seconds);
    list.push_back(
        {{"bytes", size}, {"seconds", known ? ordered_json(one.seconds) : ordered_json()}, {"chunks", one.chunks}});
  }
  return list;
}

ordered_json simulation_json(const Report& report, const Forest& forest) {
  if (!report.simulate) return {};
  ordered_json simulation{{"bytes", *report.simulate}, {"seconds", nullptr}};
  const std::optional<ops::ForestRun> run = simulated_run(report, forest, *report.simulate);
  simulation["problems"] = run ? run->simulation.problems : std::vector<std::string>{"too many members"};
  if (!run || !run->simulation.problems.empty()) return simulation;
  const double finish = static_cast<double>(run->simulation.finish);
  simulation["seconds"] = finish * 1e-9;
  simulation["shares"] = run->shares;
  simulation["chunk_bytes"] = run->chunk_bytes;
  simulation["links"] = ordered_json::array();
  for (const ops::LinkUse& use : run->simulation.links)
    simulation["links"].push_back({{"from", use.from},
                                   {"to", use.to},
                                   {"bytes", use.bytes},
                                   {"busy_part", finish > 0 ? static_cast<double>(use.busy) / finish : 0}});
  return simulation;
}

ordered_json loads_json(const Forest& forest) {
  ordered_json list = ordered_json::array();
  for (const topology::LinkLoad& load : forest.loads) {
    list.push_back({{"from", load.from},
                    {"to", load.to},
                    {"capacity", load.capacity},
                    {"load", load.load.text()},
                    {"load_value", load.load.value()}});
  }
  return list;
}

ordered_json plan_json(const Report& report, const Forest& forest) {
  const topology::LinkGraph& links = report.projection.links;
  const auto bytes = [&](const topology::Rational& rate) {
    return links.bytes_per_second > 0 ? ordered_json(rate.value() * links.bytes_per_second) : ordered_json();
  };
  ordered_json relaxed = ordered_json::array();
  for (const topology::Relaxation& one : forest.relaxed) relaxed.push_back({{"why", one.why}, {"roots", one.roots}});
  return {{"builder", forest.builder},
          {"operation", forest.operation == topology::Operation::allgather ? "allgather" : "allreduce"},
          {"rate", forest.rate.text()},
          {"rate_value", forest.rate.value()},
          {"bound", forest.bound.rate.text()},
          {"bound_value", forest.bound.rate.value()},
          {"unit", links.unit},
          {"rate_bytes_per_second", bytes(forest.rate)},
          {"bound_bytes_per_second", bytes(forest.bound.rate)},
          {"allreduce_rate", forest.allreduce_rate.text()},
          {"allreduce_rate_value", forest.allreduce_rate.value()},
          {"gap", forest.gap.text()},
          {"gap_value", forest.gap.value()},
          {"tree_count", forest.trees.size()},
          {"height", forest.height},
          {"worst_load", forest.worst_load.text()},
          {"worst_load_value", forest.worst_load.value()},
          {"limiting_cut",
           {{"parts", forest.bound.parts}, {"crossing", forest.bound.crossing.text()}, {"text", forest.bound.text}}},
          {"reason", forest.reason},
          {"relaxed", relaxed},
          {"predictions", times_json(report, forest)},
          {"simulation", simulation_json(report, forest)},
          {"trees", trees_json(forest.trees)},
          {"reduce_trees", trees_json(forest.reduce_trees)},
          {"loads", loads_json(forest)}};
}

ordered_json choice_json(const Report& report) {
  const topology::Choice choice = choose(report.projection.links, report.forests, *report.explain, report.constants);
  return {{"bytes", *report.explain}, {"builder", report.forests[choice.forest].builder}, {"why", choice.why}};
}

}  // namespace

std::string json_report(const Report& report) {
  ordered_json root;
  root["source"] = report.source;
  root["format"] = name_of(report.format);
  root["warnings"] = report.warnings;
  root["devices"] = devices_json(report);
  root["paths"] = paths_json(report);
  root["hardware_links"] = hardware_links(report);
  root["basis"] = report.projection.basis;
  root["unit"] = report.projection.links.unit;
  root["unit_bytes_per_second"] = report.projection.links.bytes_per_second;
  root["vertices"] = report.projection.names;
  root["capacity"] = capacity_json(report.projection.links);
  root["near_network"] = report.projection.near_network;
  root["builders"] = ordered_json::array();
  for (const Forest& forest : report.forests) root["builders"].push_back(plan_json(report, forest));
  if (report.explain && !report.forests.empty()) root["choice"] = choice_json(report);
  return root.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace treering::tools
