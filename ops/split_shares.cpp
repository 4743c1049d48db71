#include "ops/split_shares.h"

#include <set>

namespace treering::ops {

namespace {

class Splitter {
 public:
  explicit Splitter(const Program& program) : from_(program), to_(program) {
    to_.streams.clear();
    to_.loops.clear();
    to_.instructions.clear();
    to_.completes = 0;
  }

  Program split() {
    for (const Stream& stream : from_.streams) {
      const std::set<std::uint16_t> ranges = ranges_of(stream);
      for (const std::uint16_t range : ranges) emit(stream, range);
      if (ranges.empty()) emit(stream, 0);
    }
    return std::move(to_);
  }

 private:
  std::span<const Loop> loops_of(const Stream& stream) const {
    return std::span(from_.loops).subspan(stream.loops.begin, stream.loops.count);
  }
  std::span<const Instruction> body_of(const Loop& loop) const {
    return std::span(from_.instructions).subspan(loop.body.begin, loop.body.count);
  }

  std::set<std::uint16_t> ranges_of(const Stream& stream) const {
    std::set<std::uint16_t> ranges;
    for (const Loop& loop : loops_of(stream))
      for (const Instruction& instruction : body_of(loop))
        if (instruction.op != Opcode::complete) ranges.insert(instruction.range);
    return ranges;
  }

  // Each part is complete on its own; the program is when all parts are.
  void emit(const Stream& stream, std::uint16_t range) {
    Stream part{stream.phase, {static_cast<std::uint32_t>(to_.loops.size()), 0}};
    for (const Loop& loop : loops_of(stream)) {
      Loop own{loop.iterations, {static_cast<std::uint32_t>(to_.instructions.size()), 0}};
      for (const Instruction& instruction : body_of(loop)) {
        const bool ends = instruction.op == Opcode::complete;
        if (!ends && instruction.range != range) continue;
        to_.instructions.push_back(instruction);
        to_.completes += ends;
        ++own.body.count;
      }
      if (own.body.count == 0) continue;
      to_.loops.push_back(own);
      ++part.loops.count;
    }
    to_.streams.push_back(part);
  }

  const Program& from_;
  Program to_;
};

}  // namespace

Program split_shares(const Program& program) { return Splitter(program).split(); }

}  // namespace treering::ops
