#include <fmt/format.h>

#include <algorithm>

#include "base/parse_value.h"
#include "ops/simulated_forest.h"
#include "tools/treering_topo/report.h"
#include "tools/treering_topo/words.h"

namespace treering::tools {
namespace {

constexpr int most_members = 256;

std::string busiest_link(const Report& report, const ops::Simulation& simulation) {
  const auto busiest = std::ranges::max_element(simulation.links, {}, &ops::LinkUse::busy);
  if (busiest == simulation.links.end() || simulation.finish == 0) return "-";
  const double part = static_cast<double>(busiest->busy) / static_cast<double>(simulation.finish);
  return fmt::format("{}>{} {:.0f} %", member_name(report, busiest->from), member_name(report, busiest->to),
                     100 * part);
}

std::vector<std::string> simulated_row(const Report& report, const topology::Forest& forest, std::uint64_t bytes) {
  const double predicted = predict(report.projection.links, forest, bytes, report.constants).seconds;
  const std::optional<ops::ForestRun> made = simulated_run(report, forest, bytes);
  if (!made) return {forest.builder, "too many members", duration(predicted)};
  const ops::ForestRun& run = *made;
  if (!run.simulation.problems.empty())
    return {forest.builder, "never", duration(predicted), "-", "-", "-", run.simulation.problems.front()};
  const double simulated = static_cast<double>(run.simulation.finish) * 1e-9;
  return {forest.builder,
          duration(simulated),
          duration(predicted),
          fmt::format("{:.2f}", simulated / predicted),
          std::to_string(run.shares),
          bytes_text(run.chunk_bytes),
          busiest_link(report, run.simulation)};
}

}  // namespace

std::optional<ops::ForestRun> simulated_run(const Report& report, const topology::Forest& forest, std::uint64_t bytes) {
  const topology::LinkGraph& links = report.projection.links;
  if (links.members > most_members) return std::nullopt;
  return ops::simulate_forest(links, forest, bytes, report.constants);
}

std::string simulation_text(const Report& report, std::uint64_t bytes) {
  std::vector<std::vector<std::string>> rows{
      {"builder", "simulated", "predicted", "ratio", "shares", "chunks of", "busiest link, part of the time"}};
  for (const topology::Forest& forest : report.forests) rows.push_back(simulated_row(report, forest, bytes));
  return "Simulation of " + bytes_text(bytes) +
         "B (the programs of all members in virtual time, with a queue per share; nothing is measured)\n" +
         columns(rows);
}

}  // namespace treering::tools
