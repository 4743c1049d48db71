#pragma once

#include <initializer_list>
#include <span>

#include "ops/program.h"

namespace treering::ops {

/// Writes a program from front to back. `stream`, `loop` and `at` set the context of the instructions that follow.
class Builder {
 public:
  Builder(Program& program, std::uint16_t shared_counters);
  /// Ends the last stream.
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  std::uint16_t range(const Range& range);
  std::uint16_t region(const Region& region);
  std::uint16_t reduction(const device::Reduction& reduction);
  /// A new counter that only this program sees, of member `self`.
  CounterRef local_counter(int self);

  void stream(timeline::Phase phase);
  void loop(std::uint64_t iterations);
  void at(std::uint16_t range, Progression chunk);

  void copy(const Operand& source, std::span<const Operand> destinations);
  void copy(const Operand& source, const Operand& destination) { copy(source, std::span(&destination, 1)); }
  void reduce(std::uint16_t reduction, std::span<const Operand> sources, std::span<const Operand> destinations);
  void wait(CounterRef counter, Progression value);
  /// `rings`: the other members that wait for this counter.
  void signal(CounterRef counter, Progression value, std::span<const int> rings = {});
  void send(int rank, int channel, const Operand& from, CounterRef counter, Progression value);
  void receive(int rank, int channel, const Operand& into, CounterRef counter, Progression value);
  void complete();

 private:
  Instruction& emit(Opcode op);
  Slice put(std::span<const Operand> operands);
  void end_loop();
  void end_stream();

  Program& program_;
  std::uint16_t range_ = 0;
  Progression chunk_;
  std::uint32_t first_loop_ = 0;
  std::uint32_t first_instruction_ = 0;
  std::uint64_t iterations_ = 1;
  timeline::Phase phase_ = timeline::Phase::running;
};

}  // namespace treering::ops
