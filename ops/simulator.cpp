#include "ops/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ops/compile.h"
#include "ops/split_shares.h"

namespace treering::ops {

namespace {

Nanoseconds nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

/// The virtual clock: steps take the time that links, memory and launchers need.
class VirtualClock final : public Costume {
 public:
  VirtualClock(const topology::Plan& plan, const Machine& machine) : machine_(machine), wires_(machine) {
    const std::vector<std::vector<int>> numbers = topology::member_numbers(plan);
    for (std::size_t node = 0; node < numbers.size(); ++node)
      for (std::size_t member = 0; member < numbers[node].size(); ++member) {
        const auto number = static_cast<std::size_t>(numbers[node][member]);
        if (number >= members_.size()) members_.resize(number + 1);
        members_[number].node = static_cast<int>(node);
        members_[number].member = static_cast<int>(member);
      }
  }

  void waited(const Step& step, const Raise* by) override {
    const bool from_other = by != nullptr && by->by.rank != step.rank;
    visible_ = from_other ? by->at + nanoseconds(machine_.inside.hop_seconds) : 0;
  }

  Nanoseconds duration(const Step& step, Nanoseconds now) override {
    switch (step.instruction->op) {
      case Opcode::copy:
      case Opcode::reduce: return until(move(step, now), now);
      case Opcode::wait: return until(visible_, now);
      default: return 0;
    }
  }

  Nanoseconds flight(const Step& send, const Step& receive, Nanoseconds now) override {
    const int from = at(send).node, to = at(receive).node;
    const Nanoseconds end = wires_.send(from, to, send.end() - send.begin(), now);
    if (end < 0) unconnected(fmt::format("node {} and node {} are not connected", from, to));
    return until(end + nanoseconds(machine_.network_latency_seconds), now);
  }

  Simulation result(std::vector<std::string> problems) const {
    problems.insert(problems.end(), problems_.begin(), problems_.end());
    return {finish_, wires_.uses(), std::move(problems)};
  }

 private:
  struct Member {
    int node = 0;
    int member = 0;
    Reservations launcher;
    Reservations memory;
  };

  Member& at(const Step& step) { return members_[static_cast<std::size_t>(step.rank)]; }

  Nanoseconds until(Nanoseconds end, Nanoseconds now) {
    end = std::max(end, now);
    finish_ = std::max(finish_, end);
    return end - now;
  }

  Nanoseconds move(const Step& step, Nanoseconds now) {
    Member& own = at(step);
    const std::uint64_t bytes = step.end() - step.begin();
    const auto sources = step.program->sources(*step.instruction);
    const auto destinations = step.program->destinations(*step.instruction);
    const Nanoseconds begin = own.launcher.reserve(now, nanoseconds(machine_.inside.launch_seconds)).end;
    Nanoseconds end = begin;
    bool crosses = false;
    const auto carry = [&](int from, int to) {
      if (from == to) return;
      crosses = true;
      const Nanoseconds arrived = wires_.carry(own.node, from, to, bytes, begin);
      if (arrived < 0) unconnected(fmt::format("on node {}, no way from member {} to member {}", own.node, from, to));
      end = std::max(end, arrived);
    };
    for (const Operand& source : sources) carry(source.member, own.member);
    for (const Operand& destination : destinations) carry(own.member, destination.member);
    const std::uint64_t handled = sources.size() > 1 ? sources.size() - 1 : crosses ? 0 : 1;
    const double seconds = static_cast<double>(handled * bytes) / machine_.inside.reduce_bytes_per_second;
    return std::max(end, own.memory.reserve(begin, nanoseconds(seconds)).end);
  }

  void unconnected(std::string text) {
    if (std::ranges::find(problems_, text) == problems_.end()) problems_.push_back(std::move(text));
  }

  const Machine& machine_;
  Wires wires_;
  std::vector<Member> members_;
  std::vector<std::string> problems_;
  Nanoseconds visible_ = 0;
  Nanoseconds finish_ = 0;
};

}  // namespace

Simulation simulate(const topology::Plan& plan, const Machine& machine, const std::vector<Program>& programs) {
  JobPrograms once(1);
  for (const Program& program : programs) once[0].push_back(&program);
  VirtualClock clock(plan, machine);
  return clock.result(Interpreter(plan, once, clock).run());
}

Simulation simulate(const topology::Plan& plan, const Machine& machine, const BatchShape& shape, PathClass path) {
  const Geometry geometry = geometry_of(plan);
  std::vector<Program> programs;
  const std::vector<std::vector<int>> numbers = topology::member_numbers(plan);
  for (int node = 0; node < std::ssize(plan.nodes); ++node) {
    const std::vector<int>& ranks = numbers[static_cast<std::size_t>(node)];
    for (int member = 0; member < std::ssize(ranks); ++member) {
      const auto rank = static_cast<std::size_t>(ranks[static_cast<std::size_t>(member)]);
      programs.resize(std::max(programs.size(), rank + 1));
      compile(plan, geometry, shape, path, {node, member}, programs[rank]);
      const bool splits = shape.kind == OperationKind::allreduce && path == PathClass::staged;
      if (machine.queue_per_share && splits) programs[rank] = split_shares(programs[rank]);
    }
  }
  return simulate(plan, machine, programs);
}

}  // namespace treering::ops
