#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/kernels.h"
#include "timeline/recorder.h"

namespace treering::ops {

/// first + step * iteration: how chunk indices and counter values move through a loop.
struct Progression {
  std::int64_t first = 0;
  std::int64_t step = 0;
  std::int64_t at(std::uint64_t iteration) const { return first + step * static_cast<std::int64_t>(iteration); }
};

/// A run of elements in one of a program's tables.
struct Slice {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

/// Bytes [begin, end) of the batch in chunks; the last chunks may be short or empty.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t chunk = 64;
  std::uint64_t chunks = 1;
  std::uint64_t begin_of(std::uint64_t index) const { return std::min(begin + index * chunk, end); }
  std::uint64_t end_of(std::uint64_t index) const { return std::min(begin + (index + 1) * chunk, end); }
};

/// Part of a member's slot memory, the same for every member: `depth` places for one chunk each.
struct Region {
  std::uint64_t offset = 0;
  std::uint64_t stride = 64;
  std::uint64_t depth = 1;
};

enum class Space : std::uint8_t { input, output, slot };

/// Where a chunk lies. Inputs and outputs are addressed by batch offset; in a slot, chunk k lies at place
/// (k + shift) mod depth of the region.
struct Operand {
  Space space = Space::input;
  std::uint16_t member = 0;
  std::uint16_t region = 0;
  std::int64_t shift = 0;
};

/// One writer, only grows. `index` below Program::shared_counters lies in `member`'s part of the node's segment (see
/// counters.h); above, it is private to the program.
struct CounterRef {
  std::uint16_t member = 0;
  std::uint16_t index = 0;
};

enum class Opcode : std::uint8_t {
  copy,      ///< one source to all destinations
  reduce,    ///< all sources to all destinations in one pass
  wait,      ///< until counter >= base + value; true at once if value <= 0
  signal,    ///< counter = base + value, then ring
  send,      ///< posted; later counter = base + value, in the order posted
  receive,   ///< as send
  complete,  ///< this stream touches no input or output any more
};

/// Acts on chunk `chunk.at(iteration)` of a range and does nothing where the range has no such chunk, so that a loop
/// can be unrolled to give the chunks different roles.
struct Instruction {
  Opcode op = Opcode::wait;
  std::uint16_t range = 0;
  std::uint16_t reduction = 0;
  CounterRef counter;
  std::int32_t peer = -1;    ///< rank, of send and receive
  std::int32_t channel = 0;  ///< message tag within the lane
  Progression chunk;
  Progression value;
  Slice sources;
  Slice destinations;
  Slice rings;  ///< local members whose bells a signal rings: exactly those that wait for it
};

/// `iterations` times instructions [body.begin, body.begin + body.count).
struct Loop {
  std::uint64_t iterations = 1;
  Slice body;
};

/// Loops run one after the other; streams run at the same time.
struct Stream {
  timeline::Phase phase = timeline::Phase::running;
  Slice loops;
};

/// One batch on one plan for one member of a node. Holds no addresses; its size depends on the plan, not on the bytes.
struct Program {
  std::vector<Stream> streams;
  std::vector<Loop> loops;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<std::uint16_t> rings;
  std::vector<Range> ranges;
  std::vector<Region> regions;
  std::vector<device::Reduction> reductions;
  std::uint16_t shared_counters = 0;
  std::uint16_t local_counters = 0;
  std::uint32_t completes = 0;  ///< number of `complete` instructions
  std::uint64_t advance = 1;    ///< shared counters end at most here above the base; equal on the members of a node

  /// Empties everything but keeps the memory.
  void clear();

  std::span<const Operand> sources(const Instruction& instruction) const {
    return std::span(operands).subspan(instruction.sources.begin, instruction.sources.count);
  }
  std::span<const Operand> destinations(const Instruction& instruction) const {
    return std::span(operands).subspan(instruction.destinations.begin, instruction.destinations.count);
  }
  std::span<const std::uint16_t> ringed(const Instruction& instruction) const {
    return std::span(rings).subspan(instruction.rings.begin, instruction.rings.count);
  }
};

/// True if the instruction has nothing to act on in this iteration.
inline bool is_idle(const Program& program, const Instruction& instruction, std::uint64_t iteration) {
  return static_cast<std::uint64_t>(instruction.chunk.at(iteration)) >= program.ranges[instruction.range].chunks;
}

/// First byte of the operand's place for a chunk within the member's slot memory.
inline std::uint64_t place_of(const Program& program, const Operand& operand, std::int64_t chunk) {
  const Region& region = program.regions[operand.region];
  return region.offset + static_cast<std::uint64_t>(chunk + operand.shift) % region.depth * region.stride;
}

const char* name_of(Opcode op);

/// A line for people: what the instruction does in this iteration, in words of batch offsets and members.
std::string describe(const Program& program, const Instruction& instruction, std::uint64_t iteration);

}  // namespace treering::ops
