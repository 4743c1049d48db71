#include "ops/builder.h"

namespace treering::ops {

namespace {

template <class T>
std::uint16_t append(std::vector<T>& table, const T& value) {
  table.push_back(value);
  return static_cast<std::uint16_t>(table.size() - 1);
}

template <class T>
std::uint32_t size_of_table(const std::vector<T>& table) {
  return static_cast<std::uint32_t>(table.size());
}

}  // namespace

Builder::Builder(Program& program, std::uint16_t shared_counters) : program_(program) {
  program_.clear();
  program_.shared_counters = shared_counters;
}

Builder::~Builder() { end_stream(); }

std::uint16_t Builder::range(const Range& range) { return append(program_.ranges, range); }
std::uint16_t Builder::region(const Region& region) { return append(program_.regions, region); }
std::uint16_t Builder::reduction(const device::Reduction& reduction) { return append(program_.reductions, reduction); }

CounterRef Builder::local_counter(int self) {
  const auto index = static_cast<std::uint16_t>(program_.shared_counters + program_.local_counters++);
  return {static_cast<std::uint16_t>(self), index};
}

void Builder::end_loop() {
  const std::uint32_t count = size_of_table(program_.instructions) - first_instruction_;
  if (count > 0) program_.loops.push_back({iterations_, {first_instruction_, count}});
  first_instruction_ = size_of_table(program_.instructions);
}

void Builder::end_stream() {
  end_loop();
  const std::uint32_t count = size_of_table(program_.loops) - first_loop_;
  if (count > 0) program_.streams.push_back({phase_, {first_loop_, count}});
  first_loop_ = size_of_table(program_.loops);
}

void Builder::stream(timeline::Phase phase) {
  end_stream();
  phase_ = phase;
  iterations_ = 1;
}

void Builder::loop(std::uint64_t iterations) {
  end_loop();
  iterations_ = iterations;
}

void Builder::at(std::uint16_t range, Progression chunk) {
  range_ = range;
  chunk_ = chunk;
}

Instruction& Builder::emit(Opcode op) {
  Instruction& instruction = program_.instructions.emplace_back();
  instruction.op = op;
  instruction.range = range_;
  instruction.chunk = chunk_;
  return instruction;
}

Slice Builder::put(std::span<const Operand> operands) {
  const Slice slice{size_of_table(program_.operands), static_cast<std::uint32_t>(operands.size())};
  program_.operands.insert(program_.operands.end(), operands.begin(), operands.end());
  return slice;
}

void Builder::copy(const Operand& source, std::span<const Operand> destinations) {
  Instruction& instruction = emit(Opcode::copy);
  instruction.sources = put(std::span(&source, 1));
  instruction.destinations = put(destinations);
}

void Builder::reduce(std::uint16_t reduction, std::span<const Operand> sources, std::span<const Operand> destinations) {
  Instruction& instruction = emit(Opcode::reduce);
  instruction.reduction = reduction;
  instruction.sources = put(sources);
  instruction.destinations = put(destinations);
}

void Builder::wait(CounterRef counter, Progression value) {
  Instruction& instruction = emit(Opcode::wait);
  instruction.counter = counter;
  instruction.value = value;
}

void Builder::signal(CounterRef counter, Progression value, std::span<const int> rings) {
  Instruction& instruction = emit(Opcode::signal);
  instruction.counter = counter;
  instruction.value = value;
  instruction.rings = {size_of_table(program_.rings), static_cast<std::uint32_t>(rings.size())};
  for (const int member : rings) program_.rings.push_back(static_cast<std::uint16_t>(member));
}

void Builder::send(int rank, int channel, const Operand& from, CounterRef counter, Progression value) {
  Instruction& instruction = emit(Opcode::send);
  instruction.peer = rank;
  instruction.channel = channel;
  instruction.sources = put(std::span(&from, 1));
  instruction.counter = counter;
  instruction.value = value;
}

void Builder::receive(int rank, int channel, const Operand& into, CounterRef counter, Progression value) {
  Instruction& instruction = emit(Opcode::receive);
  instruction.peer = rank;
  instruction.channel = channel;
  instruction.destinations = put(std::span(&into, 1));
  instruction.counter = counter;
  instruction.value = value;
}

void Builder::complete() {
  emit(Opcode::complete);
  ++program_.completes;
}

}  // namespace treering::ops
