#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/build/bounds.h"
#include "topology/build/rational.h"
#include "topology/link_graph.h"

namespace treering::topology {

/// One tree over the members of a graph and the part of the data it carries. Data is reduced towards the root and
/// broadcast away from it along the same edges, unless the forest has reduce_trees.
struct ForestTree {
  int root = 0;
  Rational share;           ///< of the data; the shares of a forest sum to one
  std::vector<int> parent;  ///< per member; -1 for the root
  std::vector<std::vector<int>>
      route;  ///< per member: vertices from its parent to it, both included; empty for the root
};

/// Something that could not be had, and for which roots.
struct Relaxation {
  std::string why;
  std::vector<int> roots;  ///< empty: concerns the forest
};

/// What runs in one direction over one link while one unit of data is processed.
struct LinkLoad {
  int from = 0;
  int to = 0;
  std::int64_t capacity = 0;
  Rational load;  ///< in units of the whole data, up and down together
};

enum class Operation { allreduce, allgather };

/// A plan for the links of one graph, with what it reaches and what nothing can exceed. Numbers are exact.
struct Forest {
  std::string builder;
  Operation operation = Operation::allreduce;  ///< what `rate` and `bound` count: `forest` is built for allgather
  std::vector<ForestTree> trees;
  std::vector<ForestTree> reduce_trees;  ///< only on fabrics whose directions differ; routes run from parent to child
                                         ///< still, and reduced data takes them backwards
  Rational rate;                         ///< data per time for `operation`, in units of the graph
  Rational allreduce_rate;               ///< the same for an allreduce with both phases at once
  Bound bound;                           ///< of `operation`
  Rational gap;                          ///< share of the bound that is lost: 0 = optimal, 1 = nothing gets through
  int height = 0;                        ///< largest number of hops between members from a root
  Rational worst_load;                   ///< trees per unit of capacity on the fullest link, trees counted by share:
                                         ///< number of trees / rate
  std::vector<LinkLoad> loads;           ///< every link that carries something, by (from, to), for an allreduce
  std::vector<Relaxation> relaxed;
  std::string reason;  ///< `relaxed` in one line; empty if nothing was
};

struct BuildOptions {
  enum class Binomial {
    joint,     ///< keep the worst link's load least over all roots
    heaviest,  ///< maximum weight for each root on its own
    penalised  ///< maximum weight root after root, used links losing value (link_usage_penalty)
  };
  Binomial binomial = Binomial::joint;
  Rational link_usage_penalty = Rational::of(7, 10);
  std::vector<int> roots;               ///< binomial, star: members that root a tree; empty = all
  std::vector<int> preferred_roots;     ///< packed: roots to choose where height allows (members near NICs)
  std::vector<std::int64_t> root_data;  ///< forest: part of the data rooted at each member; empty = equal parts
  Rational accept = 1;                  ///< packed: part of the optimum that suffices if it takes fewer trees
  int max_height = 0;                   ///< packed: 0 = any
};

/// A way to make forests. `build` never throws for any graph: what cannot be had is relaxed, with the reason.
struct Builder {
  std::string_view name;
  std::string_view summary;
};

/// In order of presentation: packed, binomial, forest, star, chain, ring.
std::span<const Builder> builders();

/// Plans with the named builder. Deterministic; relabelling the graph changes labels in the result, not its quality.
/// Capacities below 0 count as 0. Throws std::invalid_argument for a name that is not in builders() and for options
/// that name members which do not exist.
Forest build_forest(std::string_view name, const LinkGraph& graph, const BuildOptions& options = {});

}  // namespace treering::topology
