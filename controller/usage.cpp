#include "controller/usage.h"

namespace treering::controller {

void Usage::ready(DefinitionId id) {
  const auto [found, is_new] = entries_.try_emplace(id);
  Entry& entry = found->second;
  if (is_new) {
    entry.place = moving_.insert(moving_.end(), id);
  } else {
    moving_.splice(moving_.end(), *entry.list, entry.place);
  }
  entry.list = &moving_;
}

void Usage::finished(DefinitionId id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  List& target = entry.used_before ? often_ : once_;
  target.splice(target.end(), *entry.list, entry.place);
  entry.list = &target;
  entry.used_before = true;
}

void Usage::remove(DefinitionId id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  found->second.list->erase(found->second.place);
  entries_.erase(found);
}

std::vector<DefinitionId> Usage::surplus() const {
  std::vector<DefinitionId> ids;
  if (entries_.size() <= capacity_) return ids;
  const std::size_t excess = entries_.size() - capacity_;
  for (const List* list : {&once_, &often_})
    for (auto id = list->begin(); id != list->end() && ids.size() < excess; ++id) ids.push_back(*id);
  return ids;
}

}  // namespace treering::controller
