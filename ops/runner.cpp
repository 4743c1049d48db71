#include "ops/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/area.h"
#include "ops/counters.h"

namespace treering::ops {

namespace {

constexpr std::uint64_t longest_piece = 256 * 1024;
constexpr std::uint64_t shortest_piece = 16 * 1024;
constexpr std::uint64_t traffic_of_piece = 1024 * 1024;

// A multiple of 64, so that no element is split.
std::uint64_t piece_of(std::size_t operands) {
  return std::clamp(traffic_of_piece / operands / 64 * 64, shortest_piece, longest_piece);
}

bool is_segmented(std::span<const Operand> operands) {
  return std::ranges::any_of(operands, [](const Operand& operand) { return operand.space != Space::slot; });
}

}  // namespace

Runner::Runner(transport::NodeLink& node, transport::Wire& wire, const device::HostKernels& kernels, const Clock& clock)
    : node_(node), wire_(wire), kernels_(kernels), clock_(clock) {}

void Runner::start(std::uint64_t base, int tags) {
  base_ = base;
  tags_ = tags;
  completes_ = 0;
  locals_.assign(program_.local_counters, 0);
  transfers_.reset(program_.local_counters);
  streams_.clear();
  for (const Stream& stream : program_.streams) {
    StreamState& state = streams_.emplace_back();
    state.loop = stream.loops.begin;
    state.loop_end = stream.loops.begin + stream.loops.count;
    state.phase = stream.phase;
  }
  live_ = streams_.size();
  spans_.fill({});
  traffic_.clear();
  recorded_ = clock_.now() != 0;
}

bool Runner::step(Budget& budget) {
  bool moved = transfers_.poll(wire_, locals_);
  for (StreamState& stream : streams_) {
    if (stream.loop == stream.loop_end || !advance(stream, budget)) continue;
    moved = true;
    if (recorded_) record(stream);
    if (stream.loop == stream.loop_end) --live_;
  }
  return moved;
}

void Runner::record(StreamState& stream) {
  Span& span = spans_[static_cast<std::size_t>(stream.phase)];
  const Nanoseconds now = clock_.now();
  if (span.begin == 0) span.begin = now;
  span.end = now;
}

std::optional<Runner::Span> Runner::span(timeline::Phase phase) const {
  const Span& span = spans_[static_cast<std::size_t>(phase)];
  return span.begin == 0 ? std::nullopt : std::optional(span);
}

const Instruction& Runner::current(const StreamState& stream) const {
  return program_.instructions[program_.loops[stream.loop].body.begin + stream.index];
}

void Runner::next(StreamState& stream) const {
  const Loop& loop = program_.loops[stream.loop];
  if (++stream.index < loop.body.count) return;
  stream.index = 0;
  if (++stream.iteration < loop.iterations) return;
  stream.iteration = 0;
  ++stream.loop;
}

bool Runner::advance(StreamState& stream, Budget& budget) {
  bool moved = false;
  while (stream.loop != stream.loop_end) {
    const Instruction& instruction = current(stream);
    if (!is_idle(program_, instruction, stream.iteration)) {
      const std::uint64_t before = stream.done;
      if (!execute(stream, instruction, budget)) return moved || stream.done != before;
    }
    next(stream);
    moved = true;
  }
  return moved;
}

bool Runner::execute(StreamState& stream, const Instruction& instruction, Budget& budget) {
  switch (instruction.op) {
    case Opcode::copy:
    case Opcode::reduce: return move(stream, instruction, budget);
    case Opcode::wait: return satisfied(instruction, stream.iteration);
    case Opcode::signal: signal(instruction, stream.iteration); return true;
    case Opcode::send:
    case Opcode::receive: transfer(instruction, stream.iteration); return true;
    case Opcode::complete: ++completes_; return true;
  }
  return true;
}

std::uint64_t Runner::read(const CounterRef& counter) const {
  if (is_local(counter)) return base_ + static_cast<std::uint64_t>(locals_[local(counter)]);
  std::byte* where = bindings_.counters[counter.member] + counter.index * AreaLayout::line;
  return SharedCounter(*reinterpret_cast<std::uint64_t*>(where)).load(std::memory_order_acquire);
}

bool Runner::satisfied(const Instruction& instruction, std::uint64_t iteration) const {
  const std::int64_t value = instruction.value.at(iteration);
  return value <= 0 || read(instruction.counter) >= base_ + static_cast<std::uint64_t>(value);
}

void Runner::signal(const Instruction& instruction, std::uint64_t iteration) {
  const std::int64_t value = instruction.value.at(iteration);
  const CounterRef& counter = instruction.counter;
  if (is_local(counter)) {
    locals_[local(counter)] = value;
    return;
  }
  std::byte* where = bindings_.counters[counter.member] + counter.index * AreaLayout::line;
  SharedCounter(*reinterpret_cast<std::uint64_t*>(where))
      .store(base_ + static_cast<std::uint64_t>(value), std::memory_order_release);
  for (const std::uint16_t member : program_.ringed(instruction)) node_.ring(member);
}

void Runner::transfer(const Instruction& instruction, std::uint64_t iteration) {
  const std::int64_t chunk = instruction.chunk.at(iteration);
  const Range& range = program_.ranges[instruction.range];
  const auto index = static_cast<std::uint64_t>(chunk);
  const std::uint64_t bytes = range.end_of(index) - range.begin_of(index);
  const int tag = tags_ + instruction.channel;
  const bool sends = instruction.op == Opcode::send;
  const Operand& operand = (sends ? program_.sources(instruction) : program_.destinations(instruction)).front();
  std::byte* where = bindings_.slots[operand.member] + place_of(program_, operand, chunk);
  const transport::Wire::Ticket ticket =
      sends ? wire_.send(instruction.peer, tag, where, bytes) : wire_.receive(instruction.peer, tag, where, bytes);
  transfers_.post(local(instruction.counter), ticket, instruction.value.at(iteration));
  if (recorded_) count(instruction.peer, sends ? timeline::LinkUse::sent : timeline::LinkUse::received, bytes);
}

void Runner::count(int peer, timeline::LinkUse use, std::uint64_t bytes) {
  auto found =
      std::ranges::find_if(traffic_, [&](const Traffic& seen) { return seen.peer == peer && seen.use == use; });
  if (found == traffic_.end()) found = traffic_.insert(found, {peer, use});
  found->bytes += bytes;
  ++found->transfers;
}

void Runner::count_in_node(std::span<const Operand> operands, timeline::LinkUse use, std::uint64_t bytes) {
  for (const Operand& operand : operands)
    if (operand.member != node_.self()) count(operand.member, use, bytes);
}

bool Runner::move(StreamState& stream, const Instruction& instruction, Budget& budget) {
  const std::int64_t chunk = instruction.chunk.at(stream.iteration);
  const Range& range = program_.ranges[instruction.range];
  const std::uint64_t begin = range.begin_of(static_cast<std::uint64_t>(chunk));
  const std::uint64_t end = range.end_of(static_cast<std::uint64_t>(chunk));
  const std::size_t operands = instruction.sources.count + instruction.destinations.count;
  const std::uint64_t piece = piece_of(operands);
  const bool segmented =
      is_segmented(program_.sources(instruction)) || is_segmented(program_.destinations(instruction));
  std::uint64_t offset = begin + stream.done;
  while (offset < end) {
    if (budget.bytes <= 0) {
      stream.done = offset - begin;
      return false;
    }
    std::uint64_t limit = end;
    if (segmented) {
      stream.segment = bindings_.find(offset, stream.segment);
      if (stream.segment == bindings_.segments.size()) break;
      const BoundSegment& segment = bindings_.segments[stream.segment];
      offset = std::max(offset, segment.begin);
      limit = std::min(limit, segment.end);
      if (offset >= limit) break;
    }
    limit = std::min(limit, offset + piece);
    apply(instruction, stream.segment, chunk, begin, offset, limit);
    budget.bytes -= static_cast<std::int64_t>((limit - offset) * operands);
    offset = limit;
  }
  stream.done = 0;
  return true;
}

void Runner::apply(const Instruction& instruction, std::size_t segment, std::int64_t chunk, std::uint64_t chunk_begin,
                   std::uint64_t begin, std::uint64_t end) {
  sources_.clear();
  destinations_.clear();
  for (const Operand& operand : program_.sources(instruction))
    sources_.push_back(resolve(operand, segment, chunk, chunk_begin, begin));
  if (recorded_) {
    count_in_node(program_.sources(instruction), timeline::LinkUse::read_in_node, end - begin);
    count_in_node(program_.destinations(instruction), timeline::LinkUse::written_in_node, end - begin);
  }
  const bool copies = instruction.op == Opcode::copy;
  for (const Operand& operand : program_.destinations(instruction)) {
    std::byte* where = resolve_output(operand, segment, chunk, chunk_begin, begin);
    if (!copies || where != sources_.front()) destinations_.push_back(where);
  }
  if (!copies)
    kernels_.reduce(program_.reductions[instruction.reduction], sources_, destinations_, end - begin);
  else if (!destinations_.empty())
    kernels_.copy(sources_.front(), destinations_, end - begin);
}

const std::byte* Runner::resolve(const Operand& operand, std::size_t segment, std::int64_t chunk,
                                 std::uint64_t chunk_begin, std::uint64_t offset) const {
  if (operand.space != Space::input) return resolve_output(operand, segment, chunk, chunk_begin, offset);
  return bindings_.input(operand.member, segment) + (offset - bindings_.segments[segment].begin);
}

std::byte* Runner::resolve_output(const Operand& operand, std::size_t segment, std::int64_t chunk,
                                  std::uint64_t chunk_begin, std::uint64_t offset) const {
  if (operand.space == Space::slot)
    return bindings_.slots[operand.member] + place_of(program_, operand, chunk) + (offset - chunk_begin);
  return bindings_.output(operand.member, segment) + (offset - bindings_.segments[segment].begin);
}

std::string Runner::describe_wait(const Instruction& instruction, std::uint64_t iteration,
                                  const std::vector<int>& ranks) const {
  const CounterLayout layout{(program_.shared_counters - 2) / 3};
  const CounterRef& counter = instruction.counter;
  return fmt::format("waits for counter '{}' of rank {}: have {}, need {}", layout.name(counter.index),
                     ranks[counter.member], static_cast<std::int64_t>(read(counter) - base_),
                     instruction.value.at(iteration));
}

std::string Runner::dump(const std::vector<int>& ranks) const {
  std::string text;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const StreamState& stream = streams_[i];
    if (stream.loop == stream.loop_end) continue;
    const Instruction& instruction = current(stream);
    text += fmt::format("    stream {}: {}", i, describe(program_, instruction, stream.iteration));
    if (instruction.op == Opcode::wait) text += "; " + describe_wait(instruction, stream.iteration, ranks);
    text += '\n';
  }
  if (transfers_.under_way() > 0) text += fmt::format("    {} transfers under way\n", transfers_.under_way());
  return text;
}

}  // namespace treering::ops
