#include <deque>
#include <optional>

#include "ops/cross.h"
#include "ops/paths.h"
#include "ops/slot_waits.h"

namespace treering::ops {

namespace {

using timeline::Phase;

/// Slots of raw inputs come first among the operands of a reduction, then slots of partial sums, each in the order of
/// members; on a star all are raw.
struct Sources {
  std::vector<Operand> operands;
  std::uint32_t raw = 0;
};

class Staged {
 public:
  Staged(const Context& context, Program& program)
      : context_(context), builder_(program, context.counters.count()), depth_(context.depth()) {
    for (int share = 0; share < context.sharing.active; ++share) {
      ranges_.push_back(builder_.range(context.sharing.range(share)));
      regions_.push_back(builder_.region(context.geometry.tree_region(share)));
    }
    for (int share = 0; share < context.sharing.active && context.reduces_apart(); ++share)
      waits_.push_back(slot_waits(context.up_tree(share), context.tree(share)));
    cross_.resize(ranges_.size());
    if (!context.crosses()) return;
    for (int share = 0; share < context.sharing.active; ++share)
      if (context.roots(share))
        cross_[at(share)].emplace(context, builder_, share, ranges_[at(share)], regions_[at(share)],
                                  builder_.region(context.geometry.inbox_region(share)));
  }

  void emit() {
    emit_copy_in();
    emit_reduce();
    for (const std::optional<Cross>& cross : cross_)
      if (cross) cross->emit(builder_);
    for (int share = 0; share < context_.sharing.active; ++share)
      if (cross_[at(share)]) emit_hand_out(share);
    emit_copy_out();
  }

 private:
  static std::size_t at(int share) { return static_cast<std::size_t>(share); }
  /// On the way up.
  bool is_leaf(int share, int member) const { return context_.up_children(share, member).empty(); }
  Operand slot(int share, int member, std::int64_t shift = 0) const {
    return slot_of(member, regions_[at(share)], shift);
  }
  CounterRef up(int member, int share) const { return context_.counter(member, context_.counters.up(share)); }
  CounterRef down(int member, int share) const { return context_.counter(member, context_.counters.down(share)); }
  CounterRef copied(int member, int share) const { return context_.counter(member, context_.counters.copied(share)); }

  /// Raised by a member when it has the result of a chunk.
  CounterRef has_result(int member, int share) const {
    return context_.children(share, member).empty() ? copied(member, share) : down(member, share);
  }

  /// Where the ways up and down differ: before this member puts a chunk into a place of its slot again.
  void wait_until_free(int share, Progression chunk) {
    for (const int member : waits_[at(share)][static_cast<std::size_t>(self())])
      builder_.wait(has_result(member, share), chunk);
  }
  bool awaits(int share, int who, int whom) const {
    const std::vector<int>& waits = waits_[at(share)][static_cast<std::size_t>(who)];
    return std::ranges::find(waits, whom) != waits.end();
  }

  // A leaf's slot is free again when its parent has the result, for which it needed what lay there.
  void emit_copy_in() {
    bool any = false;
    builder_.stream(Phase::packed);
    builder_.loop(context_.sharing.chunks);
    for (int share = 0; share < context_.sharing.active; ++share) {
      if (context_.roots(share) || !is_leaf(share, self())) continue;
      any = true;
      const int parent = context_.up_parent(share);
      builder_.at(ranges_[at(share)], {0, 1});
      if (context_.reuses() && context_.reduces_apart()) wait_until_free(share, {1 - depth_, 1});
      if (context_.reuses() && !context_.reduces_apart()) builder_.wait(down(parent, share), {1 - depth_, 1});
      builder_.copy(input_of(self()), slot(share, self()));
      builder_.signal(up(self(), share), {1, 1}, std::span(&parent, 1));
    }
    finish_stream(any);
  }

  void emit_reduce() {
    bool any = false;
    const int unroll = context_.unroll();
    builder_.stream(Phase::tree);
    builder_.loop(context_.groups());
    for (int c = 0; c < unroll; ++c) {
      for (int share = 0; share < context_.sharing.active; ++share) {
        if (!context_.roots(share) && is_leaf(share, self())) continue;
        any = true;
        builder_.at(ranges_[at(share)], {c, unroll});
        emit_reduce_chunk(share, c);
      }
    }
    finish_stream(any);
  }

  void emit_reduce_chunk(int share, int c) {
    const std::vector<int> children = context_.up_children(share, self());
    const std::vector<int> takers = context_.children(share, self());
    const int unroll = context_.unroll();
    for (const int child : children) builder_.wait(up(child, share), {c + 1, unroll});
    // An inner child has put a new partial sum into its slot only after its own children, and so it, took the result.
    if (context_.reuses() && context_.reduces_apart()) wait_until_free(share, {c + 1 - depth_, unroll});
    if (context_.reuses() && !context_.reduces_apart())
      for (const int child : children)
        if (is_leaf(share, child)) builder_.wait(copied(child, share), {c + 1 - depth_, unroll});
    if (cross_[at(share)]) cross_[at(share)]->wait_for_place(builder_, c);

    const bool root = context_.roots(share);
    const bool last = root && !context_.crosses();
    std::vector<Operand> destinations;
    if (last) destinations.push_back(output_of(self()));
    if (!last || !takers.empty()) destinations.push_back(slot(share, self()));
    const Sources sources = sources_of(share, children);
    builder_.reduce(reduction(sources.raw, root), sources.operands, destinations);

    if (last)
      builder_.signal(down(self(), share), {c + 1, unroll}, takers);
    else if (root)
      cross_[at(share)]->partial_ready(builder_, c);
    else
      builder_.signal(up(self(), share), {c + 1, unroll}, std::vector{context_.up_parent(share)});
  }

  Sources sources_of(int share, const std::vector<int>& children) const {
    Sources sources;
    for (int member = 0; member < context_.members(); ++member) {
      const bool child = std::ranges::find(children, member) != children.end();
      if (member == self())
        sources.operands.push_back(input_of(self()));
      else if (child && is_leaf(share, member))
        sources.operands.push_back(slot(share, member));
    }
    sources.raw = static_cast<std::uint32_t>(sources.operands.size());
    for (const int child : children)
      if (!is_leaf(share, child)) sources.operands.push_back(slot(share, child));
    return sources;
  }

  std::uint16_t reduction(std::uint32_t raw, bool root) {
    const Arithmetic& arithmetic = context_.arithmetic;
    const device::Finish finish = root ? arithmetic.at_root(!context_.crosses()) : device::Finish::none;
    return builder_.reduction(arithmetic.reduction(raw, finish));
  }

  // Several nodes: the root tells its children first, then takes the result itself.
  void emit_hand_out(int share) {
    const std::vector<int> children = context_.children(share, self());
    const int unroll = context_.unroll();
    builder_.stream(Phase::broadcast);
    builder_.loop(context_.groups());
    for (int c = 0; c < unroll; ++c) {
      builder_.at(ranges_[at(share)], {c, unroll});
      cross_[at(share)]->wait_for_next_result(builder_, c);
      if (!children.empty()) builder_.signal(down(self(), share), {c + 1, unroll}, children);
      builder_.copy(slot(share, self(), Cross::result_shift(context_)), output_of(self()));
      if (context_.reuses()) cross_[at(share)]->handed_out(builder_, c);
    }
    finish_stream(true);
  }

  void emit_copy_out() {
    bool any = false;
    const std::int64_t shift = context_.crosses() ? Cross::result_shift(context_) : 0;
    builder_.stream(Phase::unpacked);
    builder_.loop(context_.sharing.chunks);
    for (int share = 0; share < context_.sharing.active; ++share) {
      if (context_.roots(share)) continue;
      any = true;
      const int parent = context_.parent(share);
      const std::vector<int> children = context_.children(share, self());
      std::vector<Operand> destinations{output_of(self())};
      if (!children.empty()) destinations.push_back(slot(share, self(), shift));
      builder_.at(ranges_[at(share)], {0, 1});
      builder_.wait(down(parent, share), {1, 1});
      builder_.copy(slot(share, parent, shift), destinations);
      std::vector<int> rings = children;
      if (parent_waits(share)) rings.push_back(parent);
      if (!rings.empty() || (context_.reuses() && context_.reduces_apart() && awaits(share, self(), self())))
        builder_.signal(has_result(self(), share), {1, 1}, rings);
    }
    finish_stream(any);
  }

  /// Until this member has the result, before it uses its own place again.
  bool parent_waits(int share) const {
    if (!context_.reuses()) return false;
    if (!context_.reduces_apart()) return context_.children(share, self()).empty();
    return awaits(share, context_.parent(share), self());
  }

  void finish_stream(bool any) {
    if (!any) return;
    builder_.loop(1);
    builder_.at(0, {});
    builder_.complete();
  }

  int self() const { return context_.self.member; }

  const Context& context_;
  Builder builder_;
  std::int64_t depth_;
  std::vector<std::uint16_t> ranges_;
  std::vector<std::uint16_t> regions_;
  std::vector<std::vector<std::vector<int>>> waits_;  // per share, where the ways up and down differ; see slot_waits
  std::deque<std::optional<Cross>> cross_;
};

}  // namespace

void compile_staged(const Context& context, Program& program) {
  Staged(context, program).emit();
  program.advance = context.sharing.chunks + 1;
}

}  // namespace treering::ops
