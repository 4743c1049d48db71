#pragma once

#include <string>
#include <vector>

#include "ops/batch_shape.h"
#include "ops/interpreter.h"
#include "ops/machine.h"
#include "ops/wires.h"

namespace treering::ops {

struct Simulation {
  Nanoseconds finish = 0;             ///< when the last member is done
  std::vector<LinkUse> links;         ///< that were used
  std::vector<std::string> problems;  ///< empty unless members are not connected or the programs are wrong
};

/// Runs the programs of all members of a job in virtual time, once. Pure and deterministic: the same arguments give the
/// same nanoseconds.
///
/// * A copy or reduce is first launched, by one launcher per member, in turn. Then whatever lies at other members
///   crosses the links from them, and what goes to others the links to them, all at once; links are taken in turn.
/// * A reduction also takes the member's memory for what it adds, a copy within a member for what it copies, in turn.
/// * What another member has signalled is seen a hop later.
/// * A message takes its sender's and its receiver's network port, and a hop of the network.
Simulation simulate(const topology::Plan& plan, const Machine& machine, const std::vector<Program>& programs);

/// The same with the programs that `compile` makes for the batch, `path` being taken by all nodes.
Simulation simulate(const topology::Plan& plan, const Machine& machine, const BatchShape& shape,
                    PathClass path = PathClass::staged);

}  // namespace treering::ops
