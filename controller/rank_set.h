#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace treering::controller {

/// A set of ranks as ascending ranges with gaps between them.
class RankSet {
 public:
  struct Range {
    std::int32_t first;
    std::int32_t last;  ///< inclusive
    bool operator==(const Range&) const = default;
  };

  RankSet() = default;
  static RankSet of(int rank) { return span(rank, rank); }
  static RankSet span(int first, int last);
  static RankSet all(int size) { return size > 0 ? span(0, size - 1) : RankSet(); }

  void add(int rank) { add(span(rank, rank)); }
  void add(const RankSet& other);
  /// Appends a range that begins beyond the last one and leaves a gap; for decoding.
  void append(Range range) { ranges_.push_back(range); }

  bool empty() const { return ranges_.empty(); }
  std::int64_t count() const;
  bool contains(int rank) const;
  bool contains(const RankSet& other) const;
  bool intersects(const RankSet& other) const;
  RankSet without(const RankSet& other) const;
  const std::vector<Range>& ranges() const { return ranges_; }
  bool operator==(const RankSet&) const = default;

  /// "rank 3", "ranks 0-4, 7", "ranks 0, 2 and 5 more", "no rank". At most `limit` ranges are spelled out.
  std::string text(std::size_t limit = 20) const;

 private:
  std::vector<Range> ranges_;
};

}  // namespace treering::controller
