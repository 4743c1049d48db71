#include <algorithm>
#include <array>
#include <numeric>

#include "ops/paths.h"
#include "ops/spread_items.h"

namespace treering::ops {

namespace {

using timeline::Phase;

/// Broadcast and allgather: every source's bytes go to its own slots, from there to its node's members and along the
/// chain of the following nodes, where a relay receives them into its slots, hands them out and passes them on. What a
/// member feeds in and what it relays are independent pipelines, so that both directions of a link are busy at once.
class Spread {
 public:
  Spread(const topology::Plan& plan, const Geometry& geometry, const BatchShape& shape, Place self, Program& program)
      : plan_(plan),
        geometry_(geometry),
        shape_(shape),
        self_(self),
        items_(spread_items(plan, shape, geometry.spread_chunk, self.node)),
        counters_(geometry.counters()),
        builder_(program, counters_.count()) {
    for (const SpreadItem& item : items_)
      ranges_.push_back(builder_.range({item.begin, item.begin + item.bytes, geometry.spread_chunk, item.chunks}));
    feed_region_ = builder_.region(geometry.feed_region());
    relay_region_ = builder_.region(geometry.relay_region());
    sent_[0] = builder_.local_counter(self.member);
    sent_[1] = builder_.local_counter(self.member);
    received_ = builder_.local_counter(self.member);
    delivered_ = builder_.local_counter(self.member);
    free_ = builder_.local_counter(self.member);
    for (const int member : takers())
      if (member != self.member) others_.push_back(member);
  }

  void emit() {
    if (std::ranges::count(takers(), self_.member) == 0) return;
    emit_feed();
    emit_take(false);
    if (geometry_.nodes > 1) {
      emit_receive();
      emit_relay();
      emit_free();
      emit_take(true);
    }
  }

 private:
  static std::int64_t signed_of(std::uint64_t value) { return static_cast<std::int64_t>(value); }
  /// A broadcast reaches every member, an allgather every rank.
  std::vector<int> takers() const {
    if (shape_.kind == OperationKind::allgather) return first_members(node());
    std::vector<int> all(node().ranks.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  const topology::NodePlan& node() const { return plan_.nodes[static_cast<std::size_t>(self_.node)]; }
  CounterRef counter(int member, std::uint16_t index) const { return {static_cast<std::uint16_t>(member), index}; }

  // A holder's n-th chunk, counted over all its items, lies at place n mod depth and gives its counters the value n
  // + 1.
  Operand slot(const SpreadItem& item, int member) const {
    return {Space::slot, static_cast<std::uint16_t>(member), item.distance > 0 ? relay_region_ : feed_region_,
            signed_of(item.before)};
  }
  Progression value(const SpreadItem& item) const { return {signed_of(item.before) + 1, 1}; }
  Progression earlier(const SpreadItem& item) const {
    return {signed_of(item.before) + 1 - signed_of(geometry_.spread_depth), 1};
  }
  bool reuses(const SpreadItem& item) const { return item.before + item.chunks > geometry_.spread_depth; }

  /// Chunks that `holder` feeds or relays.
  std::uint64_t total(int holder, bool relayed) const {
    std::uint64_t sum = 0;
    for (const SpreadItem& item : items_)
      if (item.holder == holder && (item.distance > 0) == relayed) sum += item.chunks;
    return sum;
  }
  bool wraps(int holder, bool relayed) const { return total(holder, relayed) > geometry_.spread_depth; }
  Progression sent_value(const SpreadItem& item) const { return {signed_of(item.sent_before) + 1, 1}; }

  void open(std::size_t index) {
    builder_.loop(items_[index].chunks);
    builder_.at(ranges_[index], {0, 1});
  }

  void wait_for_takers(const SpreadItem& item) {
    const bool relayed = item.distance > 0;
    const auto index = relayed ? counters_.taken_relayed(self_.member) : counters_.taken_fed(self_.member);
    for (const int member : others_) builder_.wait(counter(member, index), earlier(item));
  }

  void send_on(const SpreadItem& item) {
    const int next = (self_.node + 1) % geometry_.nodes;
    const int relay = relay_of(plan_, next, item.source);
    const int rank = plan_.nodes[static_cast<std::size_t>(next)].ranks[static_cast<std::size_t>(relay)];
    const int pipeline = item.distance > 0 ? 1 : 0;
    builder_.send(rank, pipeline, slot(item, self_.member), sent_[static_cast<std::size_t>(pipeline)],
                  sent_value(item));
  }

  void complete() {
    builder_.loop(1);
    builder_.at(0, {});
    builder_.complete();
  }

  void emit_feed() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const SpreadItem& item = items_[i];
      if (item.distance > 0 || item.holder != self_.member) continue;
      std::vector<Operand> destinations;
      if (!others_.empty() || item.sent) destinations.push_back(slot(item, self_.member));
      if (shape_.kind == OperationKind::allgather) destinations.push_back(output());
      if (destinations.empty()) continue;
      builder_.stream(Phase::packed);
      open(i);
      if (reuses(item)) {
        wait_for_takers(item);
        if (item.sent) builder_.wait(sent_[0], earlier(item));
      }
      builder_.copy(input(), destinations);
      if (!others_.empty()) builder_.signal(counter(self_.member, counters_.fed()), value(item), others_);
      if (item.sent) send_on(item);
      complete();
      if (item.sent) builder_.wait(sent_[0], {signed_of(item.chunks), 0});
    }
  }

  /// Takes what others of this node hold: of the node's own sources, or of what is relayed.
  void emit_take(bool relayed) {
    bool any = false;
    builder_.stream(Phase::unpacked);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const SpreadItem& item = items_[i];
      if ((item.distance > 0) != relayed || item.holder == self_.member) continue;
      any = true;
      open(i);
      builder_.wait(counter(item.holder, relayed ? counters_.relayed() : counters_.fed()), value(item));
      builder_.copy(slot(item, item.holder), output());
      if (!wraps(item.holder, relayed)) continue;
      const auto taken = relayed ? counters_.taken_relayed(item.holder) : counters_.taken_fed(item.holder);
      builder_.signal(counter(self_.member, taken), value(item), std::span(&item.holder, 1));
    }
    if (any) complete();
  }

  void emit_receive() {
    builder_.stream(Phase::ring);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const SpreadItem& item = items_[i];
      if (item.distance == 0 || item.holder != self_.member) continue;
      open(i);
      if (reuses(item)) {
        wait_for_takers(item);
        builder_.wait(free_, earlier(item));
      }
      builder_.receive(previous_rank(item), item.distance > 1 ? 1 : 0, slot(item, self_.member), received_,
                       value(item));
    }
  }

  int previous_rank(const SpreadItem& item) const {
    if (item.distance == 1) return item.source;
    const int previous = (self_.node + geometry_.nodes - 1) % geometry_.nodes;
    const int relay = relay_of(plan_, previous, item.source);
    return plan_.nodes[static_cast<std::size_t>(previous)].ranks[static_cast<std::size_t>(relay)];
  }

  void emit_relay() {
    bool any = false;
    builder_.stream(Phase::broadcast);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const SpreadItem& item = items_[i];
      if (item.distance == 0 || item.holder != self_.member) continue;
      any = true;
      open(i);
      builder_.wait(received_, value(item));
      if (item.sent) send_on(item);
      if (!others_.empty()) builder_.signal(counter(self_.member, counters_.relayed()), value(item), others_);
      builder_.copy(slot(item, self_.member), output());
      if (wraps(self_.member, true)) builder_.signal(delivered_, value(item));
    }
    if (any) complete();
  }

  // Follows the relay: a place is free for the relay itself when it has its own copy and the next node has the chunk.
  void emit_free() {
    const bool wraps_round = wraps(self_.member, true);
    builder_.stream(Phase::ring);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const SpreadItem& item = items_[i];
      if (item.distance == 0 || item.holder != self_.member) continue;
      if (!item.sent && !wraps_round) continue;
      open(i);
      if (wraps_round) builder_.wait(delivered_, value(item));
      if (item.sent) builder_.wait(sent_[1], sent_value(item));
      if (wraps_round) builder_.signal(free_, value(item));
    }
  }

  Operand input() const { return {Space::input, static_cast<std::uint16_t>(self_.member), 0, 0}; }
  Operand output() const { return {Space::output, static_cast<std::uint16_t>(self_.member), 0, 0}; }

  const topology::Plan& plan_;
  const Geometry& geometry_;
  const BatchShape& shape_;
  Place self_;
  std::vector<SpreadItem> items_;
  CounterLayout counters_;
  Builder builder_;
  std::vector<std::uint16_t> ranges_;
  std::vector<int> others_;
  std::uint16_t feed_region_ = 0;
  std::uint16_t relay_region_ = 0;
  std::array<CounterRef, 2> sent_;
  CounterRef received_;
  CounterRef delivered_;
  CounterRef free_;
};

std::uint64_t all_chunks(const BatchShape& shape, std::uint64_t chunk) {
  if (shape.kind == OperationKind::broadcast) return (shape.bytes + chunk - 1) / chunk;
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : shape.gather_bytes) sum += (bytes + chunk - 1) / chunk;
  return sum;
}

}  // namespace

void compile_spread(const topology::Plan& plan, const Geometry& geometry, const BatchShape& shape, Place self,
                    Program& program) {
  Spread(plan, geometry, shape, self, program).emit();
  program.advance = all_chunks(shape, geometry.spread_chunk) + 1;
}

}  // namespace treering::ops
