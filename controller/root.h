#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "controller/book.h"
#include "controller/messages.h"
#include "controller/round_cutter.h"
#include "controller/usage.h"

namespace treering::controller {

/// The decisions of rank 0: what the next entry of the stream is. The controller applies each entry everywhere (here
/// too: `applied`) before it asks for the next.
class Root {
 public:
  Root(int size, const Tunables& tunables, std::size_t capacity);

  struct Nothing {};
  struct Problem {
    std::string text;
  };
  using Answer = std::variant<Nothing, Problem, StreamEntry>;

  /// A spelled request; not a void one. A second, different one under any of its names makes an error, the last rank's
  /// a definition.
  Answer take(const RankedPost& ranked, Nanoseconds now);
  /// Every rank has it.
  void take(const Definition& definition);
  void take_leaving(const RankSet& ranks) { leaving_.add(ranks); }
  void executed(std::uint64_t bytes) { cutter_.executed(bytes); }

  /// The next entry that nobody has to wait for: rounds, retirements, and, when nothing is ready, farewells and the
  /// end.
  std::optional<StreamEntry> next();

  // -- after the controller has applied the entry
  void defined(const Definition& definition);
  void retired(DefinitionId id) { usage_.remove(id); }
  void finished(DefinitionId id) { usage_.finished(id); }
  void left(int rank);

  /// Requests that only some ranks have spelled out, oldest first.
  struct Open {
    RankedPost ranked;
    Nanoseconds since = 0;
  };
  const std::list<Open>& open() const { return open_; }

  std::string dump() const;

 private:
  using Place = std::list<Open>::iterator;
  std::vector<Place> touched_by(const Post& post) const;
  ErrorEntry error(const RankedPost& ranked, const std::vector<Place>& touched);
  void close(Place place);

  int size_;
  std::list<Open> open_;  // pairwise without common names
  NameMap<Place> by_name_;
  DefinitionId next_id_ = 1;
  RoundCutter cutter_;
  Usage usage_;
  RankSet leaving_;
  RankSet left_;
  bool ended_ = false;
};

}  // namespace treering::controller
