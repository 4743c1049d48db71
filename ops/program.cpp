#include "ops/program.h"

#include <fmt/format.h>

#include "ops/counters.h"

namespace treering::ops {

void Program::clear() {
  streams.clear();
  loops.clear();
  instructions.clear();
  operands.clear();
  rings.clear();
  ranges.clear();
  regions.clear();
  reductions.clear();
  shared_counters = 0;
  local_counters = 0;
  completes = 0;
  advance = 1;
}

const char* name_of(Opcode op) {
  constexpr const char* names[] = {"copy", "reduce", "wait", "signal", "send", "receive", "complete"};
  return names[static_cast<std::size_t>(op)];
}

std::string CounterLayout::name(int index) const {
  if (index == memory()) return "memory";
  if (index == finished()) return "finished";
  if (index >= count()) return fmt::format("local {}", index - count());
  constexpr const char* groups[] = {"up", "down", "copied"};
  return fmt::format("{} {}", groups[index / width], index % width);
}

namespace {

std::string describe_operands(std::span<const Operand> operands) {
  constexpr const char* spaces[] = {"input", "output", "slot"};
  std::string text;
  for (const Operand& operand : operands) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} of {}", spaces[static_cast<std::size_t>(operand.space)], operand.member);
    if (operand.space == Space::slot) text += fmt::format(" region {}", operand.region);
  }
  return text;
}

}  // namespace

std::string describe(const Program& program, const Instruction& instruction, std::uint64_t iteration) {
  const auto chunk = instruction.chunk.at(iteration);
  std::string text = name_of(instruction.op);
  if (instruction.op == Opcode::complete) return text;
  const Range& range = program.ranges[instruction.range];
  const auto index = static_cast<std::uint64_t>(chunk);
  text += fmt::format(" chunk {} of {} [{}, {})", chunk, range.chunks, range.begin_of(index), range.end_of(index));
  switch (instruction.op) {
    case Opcode::copy:
    case Opcode::reduce:
      return text + fmt::format(": {} -> {}", describe_operands(program.sources(instruction)),
                                describe_operands(program.destinations(instruction)));
    case Opcode::send: return text + fmt::format(" to rank {} channel {}", instruction.peer, instruction.channel);
    case Opcode::receive: return text + fmt::format(" from rank {} channel {}", instruction.peer, instruction.channel);
    default: {
      const CounterLayout layout{(program.shared_counters - 2) / 3};
      return text + fmt::format(": counter '{}' of member {}, base + {}", layout.name(instruction.counter.index),
                                instruction.counter.member, instruction.value.at(iteration));
    }
  }
}

}  // namespace treering::ops
