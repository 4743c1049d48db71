#include "engine/choose_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/parse_value.h"
#include "base/ranges_text.h"
#include "engine/node_forest.h"
#include "ops/executor.h"
#include "topology/build/forest_plan.h"

namespace treering {
namespace {

PlanChoice stars(std::string why) { return {std::nullopt, "stars: " + std::move(why), {}, {}}; }

/// Plans every kind of node once: nodes of as many members, in the same domains of the same machine.
class JobPlanner {
 public:
  JobPlanner(const Config& config, const Tunables& tunables, const topology::JobShape& job, const JobView& view)
      : config_(config), tunables_(tunables), nodes_(job.members()), view_(view) {
    std::size_t largest = 1;
    for (const std::vector<int>& ranks : nodes_) largest = std::max(largest, ranks.size());
    shares_ = std::min(static_cast<int>(largest), most_shares);
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      kinds_[{machine_of(node), domains_of(node)}].push_back(static_cast<int>(node));
  }

  PlanChoice plan() {
    std::vector<topology::NodeForest> forests(nodes_.size());
    bool plain = true;
    for (const auto& [kind, members] : kinds_) {
      const NodeTrees trees = plan_node(task_for(kind));
      plain = plain && trees.plain;
      note(trees, members);
      for (const int node : members) {
        const std::vector<int>& ranks = nodes_[static_cast<std::size_t>(node)];
        forests[static_cast<std::size_t>(node)] = {ranks, trees.links, trees.forest};
      }
    }
    if (plain) return {std::nullopt, why_stars(), std::move(declined_), {}};
    std::vector<int> order(nodes_.size());
    std::iota(order.begin(), order.end(), 0);
    PlanChoice choice;
    choice.plan = topology::forest_plan(forests, order, most_shares, tunables_.chunk_bytes, tunables_.slot_bytes);
    choice.warnings = std::move(declined_);
    choice.why = text_;
    return choice;
  }

 private:
  using Kind = std::pair<int, std::vector<int>>;

  int machine_of(std::size_t node) const { return view_.machine_of.empty() ? -1 : view_.machine_of[node]; }
  std::vector<int> domains_of(std::size_t node) const {
    return view_.domain_of.empty() ? std::vector<int>(nodes_[node].size(), -1) : view_.domain_of[node];
  }

  NodeTask task_for(const Kind& kind) const {
    NodeTask task;
    if (kind.first >= 0) task.machine = &view_.machines[static_cast<std::size_t>(kind.first)];
    task.domain = kind.second;
    // Without a machine there is nothing that a builder could plan for.
    if (task.machine != nullptr) task.builder = config_.builder;
    task.bytes = tunables_.piece_limit;
    task.shares = shares_;
    return task;
  }

  void note(const NodeTrees& trees, const std::vector<int>& members) {
    const std::string where = kinds_.size() == 1 ? "" : "node(s) " + ranges_text(members) + ": ";
    if (!trees.declined.empty()) {
      const std::string source =
          view_.machines[static_cast<std::size_t>(machine_of(static_cast<std::size_t>(members.front())))].source;
      why_declined_ = "the topology in " + source + " is not used: " + trees.declined;
      declined_.push_back(fmt::format("{}topology (TREERING_TOPOLOGY) {} is not used: {}; data moves along stars",
                                      where, source, trees.declined));
    }
    text_ += (text_.empty() ? "" : " | ") + where + trees.what;
  }

  std::string why_stars() const {
    if (!why_declined_.empty()) return "stars: " + why_declined_;
    const std::string given = config_.topology.empty() ? "no topology is given (TREERING_TOPOLOGY)" : text_;
    return "stars: " + given + ", and one hop is fastest as far as the ranks see";
  }

  const Config& config_;
  const Tunables& tunables_;
  std::vector<std::vector<int>> nodes_;
  const JobView& view_;
  int shares_ = 1;
  std::map<Kind, std::vector<int>> kinds_;
  std::vector<std::string> declined_;
  std::string why_declined_;
  std::string text_;
};

std::string who(const std::vector<int>& ranks) {
  return ranks == std::vector<int>{0} ? "" : " (rank(s) " + ranges_text(ranks) + ")";
}

PlanChoice plan_or_stars(const Config& config, const Tunables& tunables, const topology::JobShape& job,
                         const JobView& view) {
  try {
    return JobPlanner(config, tunables, job, view).plan();
  } catch (const std::exception& error) {  // memory, or a graph beyond the builders: the job can still run
    PlanChoice choice = stars(std::string("planning failed: ") + error.what());
    choice.warnings.push_back(std::string("no plan can be made for this hardware: ") + error.what() +
                              "; data moves along stars");
    return choice;
  }
}

}  // namespace

topology::JobShape job_shape(const transport::World& world) { return {world.node_of, world.devices}; }

topology::Plan star_plan(const topology::JobShape& job, const Tunables& tunables) {
  return topology::star_plan(job, most_shares, tunables.chunk_bytes, tunables.slot_bytes);
}

std::size_t most_area_bytes(const topology::JobShape& job, const Tunables& tunables) {
  topology::Plan plan = star_plan(job, tunables);
  plan.shares = most_shares;  // the area grows with the shares, and with the height of trees where slots are small
  for (topology::NodePlan& node : plan.nodes) std::iota(node.trees[0].parent.begin(), node.trees[0].parent.end(), -1);
  return ops::area_bytes(plan, tunables);
}

std::size_t most_area_bytes(const transport::World& world, const Tunables& tunables) {
  int devices = 1;
  for (int rank = 0; rank < world.size; ++rank) devices = std::max(devices, world.devices_of(rank));
  return static_cast<std::size_t>(devices) * most_area_bytes(job_shape(world), tunables);
}

PlanChoice choose_plan(const Config& config, const Tunables& tunables, const topology::JobShape& job,
                       const JobView& view) {
  PlanChoice choice;
  if (config.builder != "auto" && !is_node_builder(config.builder)) {
    choice.problem =
        Status(StatusCode::invalid_argument, "builder (TREERING_BUILDER) is " + treering::quoted(config.builder) +
                                                 ": it must be one of " + node_builder_names());
    return choice;
  }
  if (tunables.deterministic != 0) {
    const std::string topology =
        config.topology.empty() ? "hardware" : "topology in " + treering::quoted(config.topology);
    return stars("deterministic mode (TREERING_DETERMINISTIC) leaves the " + topology +
                 " unused, because only on stars results do not depend on batching");
  }
  choice = plan_or_stars(config, tunables, job, view);
  for (const SaidByRanks& said : view.problems) {
    choice.warnings.push_back("topology (TREERING_TOPOLOGY) " + said.words + who(said.ranks) +
                              (choice.plan ? "" : "; data moves along stars"));
    if (!choice.plan) choice.why = "stars: the topology in " + said.words;
  }
  for (const SaidByRanks& said : view.remarks)
    choice.warnings.push_back("topology (TREERING_TOPOLOGY) " + said.words + who(said.ranks));
  if (config.builder != "auto" && view.machines.empty() && config.topology.empty())
    choice.warnings.push_back("builder (TREERING_BUILDER) is " + treering::quoted(config.builder) +
                              ", but it has no topology to plan for; TREERING_TOPOLOGY names a file");
  return choice;
}

}  // namespace treering
