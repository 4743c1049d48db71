#include "timeline/name_table.h"

#include <array>

#include "timeline/short_text.h"

namespace treering::timeline {

std::uint32_t NameTable::id_of(std::string_view text) {
  std::array<char, longest> shortened;
  if (text.size() > longest) text = {shortened.data(), copy_shortened(text, shortened)};
  const MutexLock lock(mutex_);
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  return texts_.size() < most_names_ ? add(text) : add("(further names)");
}

std::uint32_t NameTable::add(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  texts_.emplace_back(text);
  const auto id = static_cast<std::uint32_t>(texts_.size());
  ids_.emplace(texts_.back(), id);
  return id;
}

std::string_view NameTable::text_of(std::uint32_t id) const {
  const MutexLock lock(mutex_);
  return id == 0 || id > texts_.size() ? std::string_view() : std::string_view(texts_[id - 1]);
}

}  // namespace treering::timeline
