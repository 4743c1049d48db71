#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "controller/book.h"
#include "controller/messages.h"
#include "controller/outgoing.h"
#include "controller/slot_set.h"
#include "controller/staleness.h"

namespace treering::controller {

/// Merges what the slots of one vertex ask for: slot 0 is the rank itself, the others are its children, each standing
/// for a whole subtree. An id goes up when every slot has it. Posts that are spelled out go up at once; where one meets
/// an incomplete id under the same name, the id is spelled out too, so that the root sees both.
class Vertex {
 public:
  /// `slots`: the ranks of each. Book and staleness belong to the controller, which applies an entry of the stream to
  /// them before it tells the vertex (for retirements: after).
  Vertex(std::vector<RankSet> slots, const Book& book, const Staleness& staleness);

  // -- from the slots; a text says why this cannot come from a sound sender
  std::string take(std::size_t slot, std::uint64_t seen, DefinitionId id, Nanoseconds now);
  std::string take(std::size_t slot, std::uint64_t seen, const RankedPost& ranked);
  std::string take_leaving(std::size_t slot, const RankSet& ranks);
  std::string take(std::size_t slot, std::uint64_t seen, StallReport report, Nanoseconds now);

  // -- the stream
  void defined(const std::shared_ptr<const Definition>& definition);
  void retired(DefinitionId id);
  void finished(DefinitionId id);
  void failed(const std::vector<std::string>& names);
  void left();

  bool has_outgoing() const { return !outgoing_.empty(); }
  /// Everything to say to the parent in this turn; begins the next.
  UpMessage take_outgoing();
  /// Puts what `stalled` returns into the message.
  void report(Nanoseconds now, Nanoseconds age, std::size_t limit);
  const RankSet& ranks() const { return ranks_; }

  // -- partial sets
  /// Since when the oldest one waits.
  std::optional<Nanoseconds> oldest() const;
  /// Everything that has waited for `age`, oldest first, at most `limit` of them.
  std::vector<StallReport> stalled(Nanoseconds now, Nanoseconds age, std::size_t limit) const;

  std::string dump() const;

 private:
  struct Tally {
    std::shared_ptr<const Definition> definition;
    SlotSet have;
    std::uint64_t turn = 0;  // when the last slot came
    bool spelled = false;    // somebody spelled out a request of one of its names: no ids in this instance
    Nanoseconds since = 0;
    Tally* older = nullptr;  // the partial ones in the order of their age
    Tally* younger = nullptr;
    bool listed = false;
    std::unordered_map<std::size_t, StallReport> reports;  // by slot, of incomplete children
  };

  bool complete(const Tally& tally) const { return tally.have.count() == slots_.size(); }
  bool queued(const Tally& tally) const { return complete(tally) && tally.turn == turn_; }
  bool sent(const Tally& tally) const { return complete(tally) && tally.turn != turn_; }
  void enlist(Tally& tally, Nanoseconds since);
  void delist(Tally& tally);
  void reset(Tally& tally);
  void spell_out(Tally& tally);
  RankSet missing(const Tally& tally) const;

  const std::vector<RankSet> slots_;
  RankSet ranks_;
  const Book& book_;
  const Staleness& staleness_;
  std::unordered_map<DefinitionId, Tally> tallies_;
  Tally* oldest_ = nullptr;
  Tally* youngest_ = nullptr;
  Outgoing outgoing_;
  std::uint64_t turn_ = 1;  // one per message taken: ids completed in it are still in outgoing_
};

}  // namespace treering::controller
