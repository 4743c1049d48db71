#include "tools/treering_timeline/tracks.h"

#include <algorithm>
#include <map>

#include "tools/treering_timeline/rows.h"
#include "tools/treering_timeline/utf8.h"

namespace treering::tools {
namespace {

bool earlier(const Slice& a, const Slice& b) {
  return a.begin != b.begin ? a.begin < b.begin : a.end != b.end ? a.end > b.end : a.index < b.index;
}

class Collector {
 public:
  Collector(const Run& run, Interval window) : run_(run), window_(window) {}

  void add(Track& track, Nanoseconds begin, Nanoseconds end, std::size_t index) const {
    if (begin == unknown) return;
    const Nanoseconds until = std::max(begin, end == unknown ? run_.end : end);
    if (until < window_.begin || begin > window_.end) return;
    track.slices.push_back({begin, until, static_cast<std::uint32_t>(index), 0});
  }

  void add(Track& track, const std::vector<NamedSpan>& spans) const {
    for (std::size_t at = 0; at < spans.size(); ++at) add(track, spans[at].begin, spans[at].end, at);
  }

 private:
  const Run& run_;
  Interval window_;
};

void deal_rows(Track& track, const char* name) {
  std::sort(track.slices.begin(), track.slices.end(), earlier);
  Rows rows;
  for (Slice& slice : track.slices) slice.row = rows.place(slice.begin, slice.end);
  for (std::uint32_t row = 0; row < rows.count(); ++row)
    track.rows.push_back(rows.count() == 1 ? name : std::string(name) + ' ' + std::to_string(row + 1));
}

/// Slices that nest share a row; one that crosses another goes to the next.
class NestingRow {
 public:
  bool takes(const Slice& slice) {
    while (!open_.empty() && open_.back() <= slice.begin) open_.pop_back();
    if (!open_.empty() && open_.back() < slice.end) return false;
    open_.push_back(slice.end);
    return true;
  }

 private:
  std::vector<Nanoseconds> open_;  ///< ends, the innermost last
};

/// One group of rows for each thread.
void deal_threads(Track& track, const std::vector<NamedSpan>& spans, const Names& names, const char* name) {
  std::sort(track.slices.begin(), track.slices.end(), earlier);
  std::map<std::uint32_t, std::vector<std::pair<NestingRow, std::uint32_t>>> threads;
  for (Slice& slice : track.slices) {
    auto& rows = threads[spans[slice.index].thread];
    auto row =
        std::find_if(rows.begin(), rows.end(), [&slice](auto& candidate) { return candidate.first.takes(slice); });
    if (row == rows.end()) {
      const std::string thread = printable_utf8(names.text(spans[slice.index].thread));
      rows.emplace_back(NestingRow(), static_cast<std::uint32_t>(track.rows.size()));
      track.rows.push_back(thread.empty() ? name : std::string(name) + ": " + thread);
      row = std::prev(rows.end());
      row->first.takes(slice);
    }
    slice.row = row->second;
  }
}

}  // namespace

std::array<Track, track_kinds> tracks_of(const Run& run, const RankTrace& rank, Interval window) {
  std::array<Track, track_kinds> tracks;
  const auto track = [&tracks](TrackKind kind) -> Track& { return tracks[static_cast<std::size_t>(kind)]; };
  const Collector collector(run, window);
  collector.add(track(TrackKind::program), rank.marks);
  collector.add(track(TrackKind::callbacks), rank.callbacks);
  collector.add(track(TrackKind::engine), rank.asleep);
  for (std::size_t at = 0; at < rank.tensors.size(); ++at) {
    const TensorLife& life = rank.tensors[at];
    collector.add(track(TrackKind::tensors), life.enqueued != unknown ? life.enqueued : life.ready, life.done, at);
  }
  for (std::size_t at = 0; at < rank.batches.size(); ++at) {
    const Batch& batch = rank.batches[at];
    collector.add(track(TrackKind::batches), batch.started != unknown ? batch.started : batch.queued, batch.done, at);
    for (std::size_t stage = 0; stage < stage_count; ++stage)
      if (batch.stages[stage].known())
        collector.add(tracks[static_cast<std::size_t>(TrackKind::pack) + stage], batch.stages[stage].begin,
                      batch.stages[stage].end, at);
  }
  deal_threads(track(TrackKind::program), rank.marks, run.names, "program");
  deal_threads(track(TrackKind::callbacks), rank.callbacks, run.names, "callbacks");
  for (auto kind = static_cast<std::size_t>(TrackKind::tensors); kind < track_kinds; ++kind)
    deal_rows(tracks[kind], name_of(static_cast<TrackKind>(kind)));
  return tracks;
}

}  // namespace treering::tools
