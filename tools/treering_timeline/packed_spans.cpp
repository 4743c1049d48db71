#include "tools/treering_timeline/packed_spans.h"

#include <algorithm>
#include <array>

#include "tools/treering_timeline/intervals.h"
#include "tools/treering_timeline/step_table.h"
#include "tools/treering_timeline/tracks.h"

namespace treering::tools {
namespace {

std::string base64_of(const std::string& bytes) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) text += at + i > bytes.size() ? '=' : letters[group >> (18 - 6 * i) & 63];
  }
  return text;
}

}  // namespace

PackedSpans::PackedSpans(const Joined& joined, Interval window) : joined_(joined), window_(window) {
  constexpr Nanoseconds most_ticks = Nanoseconds{1} << 31;
  const Run& run = joined.run();
  tick_ = std::max<Nanoseconds>(1, (window.length() + most_ticks - 1) / most_ticks);
  late_.resize(run.ranks.size());
  waiting_.resize(run.ranks.size());
  for (const RankTrace& rank : run.ranks) last_rank_.emplace_back(rank.tensors.size());
  for (const Operation& operation : joined.operations()) {
    if (operation.lives.size() < 2 || !joined.complete(operation)) continue;
    const LifeAt last = joined.last(operation);
    const Nanoseconds everywhere = joined.life(last).ready;
    std::vector<Nanoseconds> others;
    for (const LifeAt at : operation.lives) {
      last_rank_[at.rank][at.index] = static_cast<std::uint32_t>(run.ranks[last.rank].rank) + 1;
      waiting_[at.rank].push_back({joined.life(at).ready, everywhere});
      if (at.rank != last.rank) others.push_back(joined.life(at).ready);
    }
    late_[last.rank].push_back({lower_median(std::move(others)), everywhere});
  }
  for (std::size_t place = 0; place < run.ranks.size(); ++place) put_rank(run.ranks[place], place);
}

std::string PackedSpans::base64() const { return base64_of(bytes_); }

void PackedSpans::put(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void PackedSpans::put_begin(Nanoseconds begin) {
  const Nanoseconds now = std::max(previous_, ticks(begin - window_.begin));
  put(static_cast<std::uint64_t>(now - previous_));
  previous_ = now;
}

void PackedSpans::begin_list(std::size_t size) {
  put(size);
  previous_ = 0;
}

void PackedSpans::put_strip(const std::vector<Interval>& intervals) {
  const std::vector<Interval> shown = clipped(united(intervals), window_);
  begin_list(shown.size());
  for (const Interval& interval : shown) {
    put_begin(interval.begin);
    put_length(interval.length());
  }
}

void PackedSpans::put_rank(const RankTrace& rank, std::size_t place) {
  const auto tracks = tracks_of(joined_.run(), rank, window_);
  const auto track = [&tracks](TrackKind kind) -> const Track& { return tracks[static_cast<std::size_t>(kind)]; };
  std::vector<Interval> asleep;
  for (const Slice& slice : track(TrackKind::engine).slices) asleep.push_back({slice.begin, slice.end});
  put_strip(late_[place]);
  put_strip(waiting_[place]);
  put_strip(busy_of(rank).moving);
  put_strip(asleep);

  begin_list(track(TrackKind::tensors).slices.size());
  for (const Slice& slice : track(TrackKind::tensors).slices) {
    const TensorLife& life = rank.tensors[slice.index];
    put_begin(slice.begin);
    Nanoseconds begin = slice.begin;
    for (const Nanoseconds end : {life.ready, life.agreed, life.started, slice.end}) {
      const Nanoseconds until = end == unknown ? begin : std::clamp(end, begin, slice.end);
      put_length(until - begin);
      begin = until;
    }
    put(life.name);
    put(slice.row);
    put(last_rank_[place][slice.index]);
    put(life.bytes);
  }
  begin_list(track(TrackKind::batches).slices.size());
  for (const Slice& slice : track(TrackKind::batches).slices) {
    const Batch& batch = rank.batches[slice.index];
    put_begin(slice.begin);
    put_length(slice.end - slice.begin);
    for (const std::uint64_t value :
         {std::uint64_t{batch.label}, std::uint64_t{slice.row}, batch.bytes, std::uint64_t{batch.members}})
      put(value);
  }
  put_stages(tracks);
  begin_list(track(TrackKind::program).slices.size());
  for (const Slice& slice : track(TrackKind::program).slices) {
    put_begin(slice.begin);
    put_length(slice.end - slice.begin);
    put(rank.marks[slice.index].name);
    put(slice.row);
  }
  for (const Track& each : tracks) count_ += each.slices.size();
}

void PackedSpans::put_stages(const std::array<Track, track_kinds>& tracks) {
  struct Placed {
    Slice slice;
    std::size_t stage;
  };
  std::vector<Placed> stages;
  for (std::size_t stage = 0; stage < stage_count; ++stage)
    for (const Slice& slice : tracks[static_cast<std::size_t>(TrackKind::pack) + stage].slices)
      stages.push_back({slice, stage});
  std::stable_sort(stages.begin(), stages.end(),
                   [](const Placed& a, const Placed& b) { return a.slice.begin < b.slice.begin; });
  begin_list(stages.size());
  for (const Placed& placed : stages) {
    put_begin(placed.slice.begin);
    put_length(placed.slice.end - placed.slice.begin);
    put(placed.stage);
    put(placed.slice.row);
  }
}

}  // namespace treering::tools
