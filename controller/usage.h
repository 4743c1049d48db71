#pragma once

#include <cstddef>
#include <list>
#include <unordered_map>
#include <vector>

#include "base/request.h"

namespace treering::controller {

/// Which definitions may go when there are too many: those used once before those used often, in each group the one
/// that has not been used for longest, and never one that is on its way through the rounds.
class Usage {
 public:
  explicit Usage(std::size_t capacity) : capacity_(capacity) {}

  void ready(DefinitionId id);
  void finished(DefinitionId id);
  void remove(DefinitionId id);

  std::size_t size() const { return entries_.size(); }
  /// What has to be retired now; empty if everything fits or the rest is on its way.
  std::vector<DefinitionId> surplus() const;

 private:
  using List = std::list<DefinitionId>;
  struct Entry {
    List* list = nullptr;
    List::iterator place;
    bool used_before = false;
  };

  std::size_t capacity_;
  std::unordered_map<DefinitionId, Entry> entries_;
  List once_;  // least recent first
  List often_;
  List moving_;  // on their way; keeps the nodes, so that nothing is allocated per use
};

}  // namespace treering::controller
