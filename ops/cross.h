#pragma once

#include <span>

#include "ops/builder.h"
#include "ops/context.h"
#include "ops/cross_schedule.h"

namespace treering::ops {

/// The part of a program that joins the nodes' partial sums of one share, at the share's root: passes them round chunk
/// by chunk, or, for small batches, exchanges them directly. The node's own partial sums come to place k of the share's
/// tree region; the results lie there afterwards, shifted by `result_shift`.
class Cross {
 public:
  /// Declares the counters; call before any stream that uses them. `region`: the share's tree region.
  Cross(const Context& context, Builder& builder, int share, std::uint16_t range, int region, int inbox);

  static std::int64_t result_shift(const Context& context) { return context.exchanges() ? 1 : 0; }

  int share() const { return share_; }
  /// In the stream that makes the partial sums: before chunk class c overwrites what its place held before ...
  void wait_for_place(Builder& builder, int chunk_class) const;
  /// ... and after the partial sum is in place.
  void partial_ready(Builder& builder, int chunk_class) const;
  /// In the stream that hands out results, in the order of chunks.
  void wait_for_next_result(Builder& builder, int chunk_class) const;
  void handed_out(Builder& builder, int chunk_class) const;
  /// Counter value when all chunks have been handed out.
  CounterRef handed_out_counter() const { return handed_out_; }

  /// The streams between partial sums and results.
  void emit(Builder& builder) const;

 private:
  void wait_for_result(Builder& builder, int chunk_class) const;
  void emit_exchange(Builder& builder) const;
  void emit_receives(Builder& builder) const;
  void emit_combine(Builder& builder) const;
  void emit_result_receives(Builder& builder) const;
  void emit_forward(Builder& builder) const;
  void exchange_reduce(Builder& builder, std::span<const Operand> partials, const Operand& result) const;
  int channel(int phase) const { return share_ * 2 + phase; }
  int next_rank() const;
  int previous_rank() const;
  Progression chunk(int chunk_class) const { return {chunk_class, schedule_.unroll}; }
  Progression count(int chunk_class, std::int64_t lag = 0) const;
  std::int64_t lag() const { return context_.depth() / schedule_.unroll; }

  const Context& context_;
  CrossSchedule schedule_;
  int share_;
  std::uint16_t range_;
  int region_;
  int inbox_;
  std::uint16_t join_ = 0;
  std::uint16_t last_join_ = 0;
  CounterRef partial_, combined_, partial_sent_, partial_received_, result_sent_, result_received_, handed_out_;
};

}  // namespace treering::ops
