#include "base/check.h"
#include "ops/paths.h"

namespace treering::ops {

using timeline::Phase;

void compile_alone(const Context& context, Program& program) {
  Builder builder(program, context.counters.count());
  const std::uint64_t bytes = context.shape.bytes;
  builder.stream(Phase::tree);
  builder.at(builder.range({0, bytes, bytes, 1}), {});
  const Operand input = input_of(0);
  const Operand output = output_of(0);
  const device::Finish finish = context.arithmetic.at_root(true);
  builder.reduce(builder.reduction(context.arithmetic.reduction(1, finish)), std::span(&input, 1),
                 std::span(&output, 1));
  builder.complete();
}

void compile_one_shot(const Context& context, Program& program) {
  TREERING_CHECK(!context.crosses() && context.shape.bytes <= context.geometry.slot_bytes, "one shot needs one slot");
  Builder builder(program, context.counters.count());
  const std::uint64_t bytes = context.shape.bytes;
  const int self = context.self.member;
  const std::uint16_t region = builder.region({0, context.geometry.slot_bytes, 1});
  const auto members = static_cast<std::uint32_t>(context.members());
  const std::vector<int> others = context.others();
  std::vector<Operand> slots;
  for (int member = 0; member < context.members(); ++member) slots.push_back(slot_of(member, region));

  builder.stream(Phase::tree);
  builder.at(builder.range({0, bytes, bytes, 1}), {});
  builder.copy(input_of(self), slots[static_cast<std::size_t>(self)]);
  builder.signal(context.mine(context.counters.up(0)), {1, 0}, others);
  for (const int member : others) builder.wait(context.counter(member, context.counters.up(0)), {1, 0});
  const Operand output = output_of(self);
  const device::Finish finish = context.arithmetic.at_root(true);
  builder.reduce(builder.reduction(context.arithmetic.reduction(members, finish)), slots, std::span(&output, 1));
  builder.complete();
}

}  // namespace treering::ops
