#include "controller/rank_set.h"

#include <algorithm>

namespace treering::controller {

RankSet RankSet::span(int first, int last) {
  RankSet set;
  set.ranges_.push_back({first, last});
  return set;
}

void RankSet::add(const RankSet& other) {
  if (other.empty()) return;
  if (empty() || ranges_.back().last + 1 < other.ranges_.front().first) {
    ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
    return;
  }
  std::vector<Range> both(ranges_.size() + other.ranges_.size());
  std::merge(ranges_.begin(), ranges_.end(), other.ranges_.begin(), other.ranges_.end(), both.begin(),
             [](const Range& left, const Range& right) { return left.first < right.first; });
  ranges_.clear();
  for (const Range& range : both) {
    if (!ranges_.empty() && range.first <= ranges_.back().last + 1) {
      ranges_.back().last = std::max(ranges_.back().last, range.last);
    } else {
      ranges_.push_back(range);
    }
  }
}

std::int64_t RankSet::count() const {
  std::int64_t sum = 0;
  for (const Range& range : ranges_) sum += std::int64_t{range.last} - range.first + 1;
  return sum;
}

bool RankSet::contains(int rank) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), rank,
                                      [](int value, const Range& range) { return value < range.first; });
  return after != ranges_.begin() && std::prev(after)->last >= rank;
}

bool RankSet::contains(const RankSet& other) const { return other.without(*this).empty(); }

bool RankSet::intersects(const RankSet& other) const {
  auto mine = ranges_.begin();
  auto theirs = other.ranges_.begin();
  while (mine != ranges_.end() && theirs != other.ranges_.end()) {
    if (mine->last < theirs->first) {
      ++mine;
    } else if (theirs->last < mine->first) {
      ++theirs;
    } else {
      return true;
    }
  }
  return false;
}

RankSet RankSet::without(const RankSet& other) const {
  RankSet rest;
  auto cut = other.ranges_.begin();
  for (Range range : ranges_) {
    while (cut != other.ranges_.end() && cut->last < range.first) ++cut;
    for (auto hole = cut; hole != other.ranges_.end() && hole->first <= range.last; ++hole) {
      if (hole->first > range.first) rest.ranges_.push_back({range.first, hole->first - 1});
      range.first = hole->last + 1;
    }
    if (range.first <= range.last) rest.ranges_.push_back(range);
  }
  return rest;
}

std::string RankSet::text(std::size_t limit) const {
  if (empty()) return "no rank";
  std::string text = count() == 1 ? "rank " : "ranks ";
  std::int64_t named = 0;
  for (std::size_t i = 0; i < ranges_.size() && i < limit; ++i) {
    const Range& range = ranges_[i];
    if (i > 0) text += ", ";
    text += std::to_string(range.first);
    if (range.last > range.first) text += (range.last == range.first + 1 ? ", " : "-") + std::to_string(range.last);
    named += std::int64_t{range.last} - range.first + 1;
  }
  if (named < count()) text += " and " + std::to_string(count() - named) + " more";
  return text;
}

}  // namespace treering::controller
