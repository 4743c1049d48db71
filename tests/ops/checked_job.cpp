#include "checked_job.h"

#include <algorithm>

namespace treering::ops::test {

CheckedJob::CheckedJob(const topology::Plan& plan, const BatchShape& shape, const std::vector<PathClass>& paths,
                       int runs)
    : plan_(plan), geometry_(geometry_of(plan)), shape_(shape), runs_(runs) {
  const std::vector<std::vector<int>> numbers = topology::member_numbers(plan);
  std::size_t members = 0;
  for (const std::vector<int>& node : numbers) members += node.size();
  programs_.resize(members);
  for (std::size_t node = 0; node < plan.nodes.size(); ++node)
    for (std::size_t member = 0; member < plan.nodes[node].ranks.size(); ++member)
      compile(plan_, geometry_, shape_, paths[std::min(node, paths.size() - 1)],
              {static_cast<int>(node), static_cast<int>(member)},
              programs_[static_cast<std::size_t>(numbers[node][member])]);
}

CheckReport CheckedJob::check(const CheckOptions& options) const { return check_with(0, programs_.front(), options); }

CheckReport CheckedJob::check_with(int rank, const Program& program, const CheckOptions& options) const {
  std::vector<const Program*> one;
  for (const Program& other : programs_) one.push_back(&other);
  one[static_cast<std::size_t>(rank)] = &program;
  const auto runs = static_cast<std::size_t>(runs_);
  return ops::check(plan_, geometry_, std::vector(runs, shape_), JobPrograms(runs, one), options);
}

CheckReport CheckedJob::check_before(const CheckedJob& next, const CheckOptions& options) const {
  JobPrograms programs(2);
  for (const Program& program : programs_) programs[0].push_back(&program);
  for (const Program& program : next.programs_) programs[1].push_back(&program);
  return ops::check(plan_, geometry_, {shape_, next.shape_}, programs, options);
}

BatchShape allreduce_shape(std::uint64_t bytes, bool deterministic) {
  BatchShape shape;
  shape.bytes = bytes;
  shape.op = ReduceOp::average;
  shape.prescale = 2.0;
  shape.deterministic = deterministic;
  return shape;
}

}  // namespace treering::ops::test
