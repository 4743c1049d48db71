#include "tools/treering_timeline/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/treering_timeline/chrome_events.h"
#include "tools/treering_timeline/tracks.h"
#include "tools/treering_timeline/utf8.h"

namespace treering::tools {
namespace {

constexpr std::uint32_t rows_per_kind = 100'000;

std::uint32_t tid_of(TrackKind kind, std::uint32_t row) {
  return (static_cast<std::uint32_t>(kind) + 1) * rows_per_kind + std::min(row, rows_per_kind - 1);
}

/// Where an arrow begins or ends: each rank's rows are forgotten once it is written.
struct Anchor {
  std::uint32_t tid = 0;
  Nanoseconds begin = unknown;
  Nanoseconds end = unknown;
};

class Merger {
 public:
  Merger(const Joined& joined, Interval window, OutFile& out)
      : joined_(joined), run_(joined.run()), window_(window), events_(run_.names, out) {}

  void write() {
    nlohmann::json other{{"ranks", run_.size}, {"missing_ranks", run_.missing}};
    for (const std::string& said : run_.said) other["remarks"].push_back(valid_utf8(said));
    events_.open(other.dump());
    for (const RankTrace& rank : run_.ranks) write_rank(rank);
    write_arrows();
    events_.close();
  }

 private:
  void write_rank(const RankTrace& rank) {
    events_.process(rank.rank,
                    fmt::format("rank {}{}", rank.rank, rank.host.empty() ? "" : " (" + valid_utf8(rank.host) + ")"));
    const auto tracks = tracks_of(run_, rank, window_);
    tensor_anchors_.emplace_back(rank.tensors.size());
    batch_anchors_.emplace_back(rank.batches.size());
    for (std::size_t at = 0; at < track_kinds; ++at) {
      const auto kind = static_cast<TrackKind>(at);
      for (std::uint32_t row = 0; row < tracks[at].rows.size(); ++row)
        events_.thread(rank.rank, tid_of(kind, row), tracks[at].rows[row]);
      for (const Slice& slice : tracks[at].slices) write_slice(rank, kind, slice);
    }
    for (const Sample& sample : rank.samples) {
      if (sample.when < window_.begin || sample.when > window_.end) continue;
      events_.counter(rank.rank, "operations pending", sample.when, sample.pending);
      events_.counter(rank.rank, "batches queued", sample.when, sample.queued);
      events_.counter(rank.rank, "batches running", sample.when, sample.running);
      events_.counter(rank.rank, "bytes held", sample.when, sample.bytes_held);
    }
  }

  void write_slice(const RankTrace& rank, TrackKind kind, const Slice& slice) {
    const std::uint32_t tid = tid_of(kind, slice.row);
    const auto plain = [&](std::uint32_t name, const char* category) {
      events_.slice(rank.rank, tid, events_.quoted(name), category, slice.begin, slice.end, "");
    };
    switch (kind) {
      case TrackKind::program: {
        const NamedSpan& mark = rank.marks[slice.index];
        if (mark.begin == mark.end) return events_.instant(rank.rank, tid, events_.quoted(mark.name), slice.begin);
        return plain(mark.name, "mark");
      }
      case TrackKind::callbacks: return plain(rank.callbacks[slice.index].name, "callback");
      case TrackKind::engine: return plain(rank.asleep[slice.index].name, "engine");
      case TrackKind::tensors: return write_tensor(rank, tid, slice);
      case TrackKind::batches: return write_batch(rank, tid, slice);
      default: return plain(rank.batches[slice.index].label, "stage");
    }
  }

  void write_tensor(const RankTrace& rank, std::uint32_t tid, const Slice& slice) {
    const TensorLife& life = rank.tensors[slice.index];
    tensor_anchors_.back()[slice.index] = {tid, slice.begin, slice.end};
    events_.slice(rank.rank, tid, events_.quoted(life.name), "tensor", slice.begin, slice.end,
                  fmt::format(R"("bytes":{},"occurrence":{}{})", life.bytes, life.occurrence,
                              life.failed ? R"(,"failed":true)" : ""));
    struct Part {
      const char* name;
      Nanoseconds end;
    };
    Nanoseconds begin = slice.begin;
    for (const Part& part : {Part{"\"handed over\"", life.ready}, Part{"\"waits for others\"", life.agreed},
                             Part{"\"waits for its batch\"", life.started}, Part{"\"moves\"", life.done}}) {
      if (part.end == unknown) continue;
      const Nanoseconds end = std::clamp(part.end, begin, slice.end);
      if (end > begin) events_.slice(rank.rank, tid, part.name, "part", begin, end, "");
      begin = end;
    }
  }

  void write_batch(const RankTrace& rank, std::uint32_t tid, const Slice& slice) {
    const Batch& batch = rank.batches[slice.index];
    batch_anchors_.back()[slice.index] = {tid, slice.begin, slice.end};
    const std::string name =
        batch.members < 2 ? events_.quoted(batch.label)
                          : quoted_json(fmt::format("{} and {} more", run_.names.text(batch.label), batch.members - 1));
    std::string args = fmt::format(R"("batch":{},"bytes":{},"tensors":{})", batch.sequence, batch.bytes, batch.members);
    const auto add = [&](const char* key, std::uint32_t text) {
      if (text != 0) args += fmt::format(R"(,"{}":{})", key, events_.quoted(text));
    };
    add("cut because", batch.reason);
    add("plan", batch.plan);
    add("path", batch.path);
    if (batch.queued != unknown && batch.started != unknown)
      args += fmt::format(R"(,"queued_us":{}.{:03})", (batch.started - batch.queued) / 1000,
                          (batch.started - batch.queued) % 1000);
    events_.slice(rank.rank, tid, name, "batch", slice.begin, slice.end, args);
  }

  /// One to each batch, from the operation in it that was ready everywhere last.
  void write_arrows() {
    std::vector<std::vector<const Operation*>> latest;
    std::vector<std::vector<Nanoseconds>> when;
    for (const RankTrace& rank : run_.ranks) {
      latest.emplace_back(rank.batches.size(), nullptr);
      when.emplace_back(rank.batches.size(), unknown);
    }
    for (const Operation& operation : joined_.operations()) {
      if (operation.lives.size() < 2 || !joined_.complete(operation)) continue;
      const Nanoseconds ready = joined_.life(joined_.last(operation)).ready;
      for (const LifeAt at : operation.lives) {
        const std::uint32_t batch = joined_.life(at).batch;
        if (batch == no_batch || ready <= when[at.rank][batch]) continue;
        when[at.rank][batch] = ready;
        latest[at.rank][batch] = &operation;
      }
    }
    for (std::uint32_t rank = 0; rank < latest.size(); ++rank)
      for (std::size_t batch = 0; batch < latest[rank].size(); ++batch)
        if (latest[rank][batch]) write_arrow(*latest[rank][batch], rank, batch_anchors_[rank][batch]);
  }

  void write_arrow(const Operation& operation, std::uint32_t rank, const Anchor& batch) {
    const LifeAt last = joined_.last(operation);
    const Anchor& tensor = tensor_anchors_[last.rank][last.index];
    if (batch.begin == unknown || tensor.begin == unknown) return;             // outside the window
    const Nanoseconds from = std::min(joined_.life(last).ready, batch.begin);  // clocks may be off by a little
    if (from < tensor.begin || from > tensor.end) return;
    events_.arrow(next_arrow_++, run_.ranks[last.rank].rank, tensor.tid, from, run_.ranks[rank].rank, batch.tid,
                  batch.begin);
  }

  const Joined& joined_;
  const Run& run_;
  Interval window_;
  ChromeEvents events_;
  std::vector<std::vector<Anchor>> tensor_anchors_;
  std::vector<std::vector<Anchor>> batch_anchors_;
  std::uint64_t next_arrow_ = 1;
};

}  // namespace

void write_chrome_trace(const Joined& joined, Interval window, OutFile& out) { Merger(joined, window, out).write(); }

}  // namespace treering::tools
