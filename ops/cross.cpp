#include "ops/cross.h"

#include "treering/types.h"

namespace treering::ops {

namespace {

using timeline::Phase;

CrossSchedule schedule_for(const Context& context) {
  const bool chain = context.exchanges() || context.geometry.order(context.shape.deterministic) == CrossOrder::chain;
  return {chain ? CrossOrder::chain : CrossOrder::ring, context.geometry.nodes, context.self.node};
}

}  // namespace

Cross::Cross(const Context& context, Builder& builder, int share, std::uint16_t range, int region, int inbox)
    : context_(context),
      schedule_(schedule_for(context)),
      share_(share),
      range_(range),
      region_(region),
      inbox_(inbox),
      join_(builder.reduction(context.arithmetic.reduction(0, device::Finish::none))),
      last_join_(builder.reduction(context.arithmetic.reduction(0, context.arithmetic.last))) {
  for (CounterRef* counter :
       {&partial_, &combined_, &partial_sent_, &partial_received_, &result_sent_, &result_received_, &handed_out_})
    *counter = builder.local_counter(context.self.member);
}

int Cross::next_rank() const { return context_.root_rank((context_.self.node + 1) % context_.geometry.nodes, share_); }

int Cross::previous_rank() const {
  return context_.root_rank((context_.self.node + context_.geometry.nodes - 1) % context_.geometry.nodes, share_);
}

Progression Cross::count(int chunk_class, std::int64_t lag) const {
  return {chunk_class + 1 - lag * schedule_.unroll, schedule_.unroll};
}

void Cross::wait_for_place(Builder& builder, int chunk_class) const {
  if (!context_.reuses()) return;
  builder.wait(handed_out_, count(chunk_class, lag()));
  if (schedule_.result_sent.has(chunk_class) && !schedule_.result_sent.is_covered(chunk_class))
    builder.wait(result_sent_, schedule_.result_sent.value(chunk_class, lag()));
}

void Cross::partial_ready(Builder& builder, int chunk_class) const { builder.signal(partial_, count(chunk_class)); }

void Cross::wait_for_result(Builder& builder, int chunk_class) const {
  if (context_.exchanges())
    builder.wait(combined_, count(chunk_class));
  else if (schedule_.result_received.has(chunk_class))
    builder.wait(result_received_, schedule_.result_received.value(chunk_class));
  else
    builder.wait(combined_, schedule_.partial_received.value(chunk_class));
}

void Cross::wait_for_next_result(Builder& builder, int chunk_class) const {
  const Series& received = schedule_.result_received;
  if (context_.exchanges() || !received.has(chunk_class) || !received.is_covered(chunk_class))
    wait_for_result(builder, chunk_class);
}

void Cross::handed_out(Builder& builder, int chunk_class) const { builder.signal(handed_out_, count(chunk_class)); }

void Cross::emit(Builder& builder) const {
  if (context_.exchanges()) return emit_exchange(builder);
  emit_receives(builder);
  emit_combine(builder);
  emit_result_receives(builder);
  emit_forward(builder);
}

// Receives are posted ahead, in the order in which they are used, as far as there are places.
void Cross::emit_receives(Builder& builder) const {
  builder.stream(Phase::ring);
  builder.loop(context_.groups());
  for (const Turn& turn : schedule_.reduce) {
    if (!schedule_.partial_received.has(turn.chunk_class)) continue;
    builder.at(range_, chunk(turn.chunk_class));
    if (context_.reuses()) builder.wait(combined_, schedule_.partial_received.value(turn.chunk_class, lag()));
    builder.receive(previous_rank(), channel(0), slot_of(context_.self.member, inbox_), partial_received_,
                    schedule_.partial_received.value(turn.chunk_class));
  }
}

void Cross::emit_combine(Builder& builder) const {
  const Operand own = slot_of(context_.self.member, region_);
  builder.stream(Phase::ring);
  builder.loop(context_.groups());
  for (const Turn& turn : schedule_.reduce) {
    const int c = turn.chunk_class;
    builder.at(range_, chunk(c));
    builder.wait(partial_, count(c));
    if (schedule_.partial_received.has(c)) {
      const Operand sources[] = {slot_of(context_.self.member, inbox_), own};
      builder.wait(partial_received_, schedule_.partial_received.value(c));
      builder.reduce(schedule_.is_last(turn) ? last_join_ : join_, sources, std::span(&own, 1));
      if (context_.reuses() || schedule_.is_last(turn)) builder.signal(combined_, schedule_.partial_received.value(c));
    }
    if (schedule_.partial_sent.has(c))
      builder.send(next_rank(), channel(0), own, partial_sent_, schedule_.partial_sent.value(c));
  }
}

void Cross::emit_result_receives(Builder& builder) const {
  builder.stream(Phase::ring);
  builder.loop(context_.groups());
  for (const Turn& turn : schedule_.result) {
    const int c = turn.chunk_class;
    if (!schedule_.result_received.has(c)) continue;
    builder.at(range_, chunk(c));
    builder.wait(partial_sent_, schedule_.partial_sent.value(c));
    builder.receive(previous_rank(), channel(1), slot_of(context_.self.member, region_), result_received_,
                    schedule_.result_received.value(c));
  }
}

void Cross::emit_forward(Builder& builder) const {
  builder.stream(Phase::ring);
  builder.loop(context_.groups());
  for (const Turn& turn : schedule_.result) {
    const int c = turn.chunk_class;
    if (!schedule_.result_sent.has(c)) continue;
    builder.at(range_, chunk(c));
    wait_for_result(builder, c);
    builder.send(next_rank(), channel(1), slot_of(context_.self.member, region_), result_sent_,
                 schedule_.result_sent.value(c));
  }
  const std::int64_t last = schedule_.result_sent.last(context_.sharing.chunks);
  if (last == 0) return;
  builder.loop(1);
  builder.at(range_, {});
  builder.wait(result_sent_, {last, 0});
}

// One chunk: every root sends its partial sum to every other and joins all of them in the order of nodes, with the same
// roundings as the chain has. The result gets a place of its own, because the partial sum is still being sent.
void Cross::emit_exchange(Builder& builder) const {
  const int nodes = context_.geometry.nodes;
  const int self = context_.self.member;
  const Operand own = slot_of(self, region_);
  std::vector<Operand> partials;
  builder.stream(Phase::ring);
  builder.at(range_, {});
  for (int node = 0, value = 1; node < nodes; ++node) {
    partials.push_back(node == context_.self.node ? own : slot_of(self, inbox_, node));
    if (node == context_.self.node) continue;
    builder.receive(context_.root_rank(node, share_), channel(0), partials.back(), partial_received_, {value++, 0});
  }
  builder.wait(partial_, {1, 0});
  for (int node = 0, value = 1; node < nodes; ++node)
    if (node != context_.self.node)
      builder.send(context_.root_rank(node, share_), channel(0), own, partial_sent_, {value++, 0});
  builder.wait(partial_received_, {nodes - 1, 0});
  exchange_reduce(builder, partials, slot_of(self, region_, 1));
  builder.signal(combined_, {1, 0});
  builder.wait(partial_sent_, {nodes - 1, 0});
}

void Cross::exchange_reduce(Builder& builder, std::span<const Operand> partials, const Operand& result) const {
  if (!context_.arithmetic.rounds()) return builder.reduce(last_join_, partials, std::span(&result, 1));
  for (std::size_t i = 1; i < partials.size(); ++i) {
    const Operand sources[] = {i == 1 ? partials[0] : result, partials[i]};
    builder.reduce(i + 1 == partials.size() ? last_join_ : join_, sources, std::span(&result, 1));
  }
}

}  // namespace treering::ops
