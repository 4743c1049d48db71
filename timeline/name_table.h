#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"

namespace treering::timeline {

/// Numbers for texts, from 1 on, given once and kept. Long texts are shortened (short_text.h). Bounded: when it is
/// full, further texts share one number. Thread-safe.
class NameTable {
 public:
  explicit NameTable(std::size_t most_names = 200'000) : most_names_(most_names) {}

  std::uint32_t id_of(std::string_view text) TREERING_EXCLUDES(mutex_);
  /// Empty for a number that was never given. The view holds as long as the table.
  std::string_view text_of(std::uint32_t id) const TREERING_EXCLUDES(mutex_);

  static constexpr std::size_t longest = 200;

 private:
  std::uint32_t add(std::string_view text) TREERING_REQUIRES(mutex_);

  const std::size_t most_names_;
  mutable Mutex mutex_;
  std::deque<std::string> texts_ TREERING_GUARDED_BY(mutex_);  // never moves its elements
  std::unordered_map<std::string_view, std::uint32_t> ids_ TREERING_GUARDED_BY(mutex_);
};

}  // namespace treering::timeline
