#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace treering::tools {

/// Every text of a run once, under a small number. Number 0 is the empty text.
class Names {
 public:
  Names() { id_of(""); }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;
  Names(Names&&) = default;
  Names& operator=(Names&&) = default;

  std::uint32_t id_of(std::string_view text) {
    if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(texts_.size());
    ids_.emplace(texts_.emplace_back(text), id);
    return id;
  }
  const std::string& text(std::uint32_t id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // a deque, so that the keys below stay where they are
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

}  // namespace treering::tools
