#include <algorithm>
#include <deque>

#include "ops/cross.h"
#include "ops/paths.h"

namespace treering::ops {

namespace {

using timeline::Phase;

class Mapped {
 public:
  Mapped(const Context& context, Program& program) : context_(context), builder_(program, context.counters.count()) {
    for (int member = 0; member < context.members(); ++member) {
      inputs_.push_back(input_of(member));
      outputs_.push_back(output_of(member));
    }
    const auto raw = static_cast<std::uint32_t>(context.members());
    const device::Finish finish = context.arithmetic.at_root(!context.crosses());
    reduction_ = builder_.reduction(context.arithmetic.reduction(raw, finish));
    first_range_ = builder_.range({0, context.shape.bytes, context.shape.bytes, 1});
    for (int share = 0; share < context.sharing.active; ++share)
      if (context.roots(share)) shares_.push_back(share);
  }

  void emit() {
    if (context_.crosses()) {
      declare_cross();
      emit_partial();
      for (const Cross& cross : cross_) cross.emit(builder_);
      for (std::size_t i = 0; i < cross_.size(); ++i) emit_hand_out(i);
      builder_.stream(Phase::running);
    } else {
      emit_in_place();
    }
    emit_end();
  }

 private:
  // Within one node nothing is gained by chunks: the runner cuts pieces.
  void emit_in_place() {
    builder_.stream(Phase::tree);
    for (const int share : shares_) {
      const Range range = context_.sharing.range(share);
      if (range.begin == range.end) continue;
      builder_.at(builder_.range({range.begin, range.end, range.end - range.begin, 1}), {});
      builder_.reduce(reduction_, inputs_, outputs_);
    }
  }

  void declare_cross() {
    for (const int share : shares_) {
      const auto range = builder_.range(context_.sharing.range(share));
      const auto region = builder_.region(context_.geometry.tree_region(share));
      const auto inbox = builder_.region(context_.geometry.inbox_region(share));
      ranges_.push_back(range);
      regions_.push_back(region);
      cross_.emplace_back(context_, builder_, share, range, region, inbox);
    }
  }

  void emit_partial() {
    builder_.stream(Phase::tree);
    builder_.loop(context_.groups());
    for (int c = 0; c < context_.unroll(); ++c) {
      for (std::size_t i = 0; i < cross_.size(); ++i) {
        const Operand slot = slot_of(context_.self.member, regions_[i]);
        builder_.at(ranges_[i], {c, context_.unroll()});
        cross_[i].wait_for_place(builder_, c);
        builder_.reduce(reduction_, inputs_, std::span(&slot, 1));
        cross_[i].partial_ready(builder_, c);
      }
    }
  }

  void emit_hand_out(std::size_t i) {
    builder_.stream(Phase::broadcast);
    builder_.loop(context_.groups());
    for (int c = 0; c < context_.unroll(); ++c) {
      builder_.at(ranges_[i], {c, context_.unroll()});
      cross_[i].wait_for_next_result(builder_, c);
      builder_.copy(slot_of(context_.self.member, regions_[i], Cross::result_shift(context_)), outputs_);
      cross_[i].handed_out(builder_, c);
    }
  }

  // My memory is mine again when every owner is done with it.
  void emit_end() {
    const std::vector<int> owners = context_.owners();
    builder_.at(first_range_, {});
    for (const Cross& cross : cross_)
      builder_.wait(cross.handed_out_counter(), {static_cast<std::int64_t>(context_.sharing.chunks), 0});
    if (!shares_.empty() && context_.members() > 1)
      builder_.signal(context_.mine(context_.counters.memory()), {1, 0}, context_.others());
    for (const int owner : owners)
      if (owner != context_.self.member) builder_.wait(context_.counter(owner, context_.counters.memory()), {1, 0});
    builder_.complete();
  }

  const Context& context_;
  Builder builder_;
  std::vector<Operand> inputs_;
  std::vector<Operand> outputs_;
  std::uint16_t reduction_ = 0;
  std::uint16_t first_range_ = 0;
  std::vector<int> shares_;
  std::vector<std::uint16_t> ranges_;
  std::vector<int> regions_;
  std::deque<Cross> cross_;
};

}  // namespace

void compile_mapped(const Context& context, Program& program) { Mapped(context, program).emit(); }

}  // namespace treering::ops
