#include "controller/book.h"

#include <algorithm>

namespace treering::controller {

Book::Entry Book::find(DefinitionId id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

const Definition* Book::current(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<Book::Entry> Book::replaced_by(const Request& request) const {
  std::vector<Entry> ended;
  for (const TensorSpec& tensor : request.tensors) {
    const Definition* old = current(tensor.name);
    if (old == nullptr) continue;
    const auto known = std::find_if(ended.begin(), ended.end(), [&](const Entry& entry) { return entry.get() == old; });
    if (known == ended.end()) ended.push_back(find(old->id));
  }
  return ended;
}

void Book::add(Entry definition) {
  for (const TensorSpec& tensor : definition->request.tensors) by_name_[tensor.name] = definition.get();
  by_id_.emplace(definition->id, std::move(definition));
}

void Book::remove(DefinitionId id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  for (const TensorSpec& tensor : found->second->request.tensors) {
    const auto name = by_name_.find(tensor.name);
    if (name != by_name_.end() && name->second == found->second.get()) by_name_.erase(name);
  }
  by_id_.erase(found);
}

}  // namespace treering::controller
