#include "tools/treering_timeline/rank_loader.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/round.h"
#include "tools/treering_timeline/clock_shift.h"

namespace treering::tools {
namespace {

using timeline::Kind;

/// Nanoseconds from a file may be anything: differences wrap instead of overflowing.
Nanoseconds before(Nanoseconds time, std::uint64_t since) {
  return static_cast<Nanoseconds>(static_cast<std::uint64_t>(time) - since);
}
Nanoseconds after(Nanoseconds time, std::uint64_t duration) {
  return static_cast<Nanoseconds>(static_cast<std::uint64_t>(time) + duration);
}

std::uint64_t item_key(std::uint64_t round, std::uint64_t item) { return round << 24 | (item & 0xffffff); }

template <class Number>
Number number_in(const std::string& text, Number otherwise) {
  Number value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::uint32_t small(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX - 1));
}

std::optional<Stage> stage_named(std::uint64_t value) {
  switch (static_cast<timeline::Phase>(value)) {
    case timeline::Phase::packed: return Stage::pack;
    case timeline::Phase::tree: return Stage::tree;
    case timeline::Phase::ring: return Stage::ring;
    case timeline::Phase::broadcast: return Stage::broadcast;
    case timeline::Phase::unpacked: return Stage::unpack;
    default: return std::nullopt;
  }
}

}  // namespace

void RankLoader::take(const timeline::Block& block) {
  if (block.header.recording != recording_) begin_recording(block);
  for (const auto& [key, value] : block.about) take_about(key, value);
  for (const auto& [id, text] : block.names) name_ids_[id] = names_.id_of(text);
  for (const auto& [id, text] : block.threads) thread_ids_[id] = names_.id_of(text);
  for (const Record& record : block.records) take(record);
  trace_.records += block.records.size();
}

void RankLoader::begin_recording(const timeline::Block& block) {
  if (recording_ != 0) trace_.gaps.push_back({stopped_ != unknown ? stopped_ : last_, block.header.base});
  recording_ = block.header.recording;
  stopped_ = unknown;
  trace_.ended = false;
  name_ids_.clear();
  thread_ids_.clear();
  members_.clear();
  reasons_.clear();
  scopes_.clear();
}

void RankLoader::take_about(const std::string& key, const std::string& value) {
  if (key == "rank") facts_.rank = trace_.rank = number_in(value, -1);
  if (key == "size") facts_.size = number_in(value, 0);
  if (key == "origin") facts_.job = value;
  if (key == "began") facts_.began = number_in<Nanoseconds>(value, 0);
  if (key == "wall_ahead") facts_.wall_ahead = number_in<Nanoseconds>(value, 0);
  if (key == "host") trace_.host = value;
  if (key == "node") trace_.node = number_in(value, 0);
  if (key == "plan") trace_.plan = value;
  if (key == "planned_bytes_per_second") trace_.planned = static_cast<double>(number_in<std::uint64_t>(value, 0));
}

void RankLoader::take(const Record& record) {
  last_ = std::max(last_, record.time);
  switch (record.kind) {
    case Kind::posted:
    case Kind::agreed:
    case Kind::done:
    case Kind::callback: return take_operation(record);
    case Kind::round:
    case Kind::batch:
    case Kind::member:
    case Kind::batch_done:
    case Kind::stage:
    case Kind::link: return take_batch(record);
    case Kind::mark:
    case Kind::scope_begin:
    case Kind::scope_end: return take_users(record);
    default: return take_rank(record);
  }
}

void RankLoader::take_operation(const Record& record) {
  switch (record.kind) {
    case Kind::posted: return posted(record);
    case Kind::agreed: return agreed(record);
    case Kind::done: return done(record);
    default:
      trace_.callbacks.push_back(
          {name_of(record.name), thread_of(record.values[2]), record.time, after(record.time, record.values[1])});
  }
}

void RankLoader::posted(const Record& record) {
  TensorLife life;
  life.name = name_of(record.name);
  life.bytes = record.values[2];
  life.ready = record.time;
  life.enqueued = before(record.time, record.values[3]);
  pending_[record.values[0]] = static_cast<std::uint32_t>(trace_.tensors.size());
  trace_.tensors.push_back(life);
}

void RankLoader::agreed(const Record& record) {
  TensorLife* life = life_of(record.values[0]);
  if (!life) {  // posted before the recording began
    pending_[record.values[0]] = static_cast<std::uint32_t>(trace_.tensors.size());
    life = &trace_.tensors.emplace_back();
    life->name = name_of(record.name);
    life->ready = before(record.time, record.values[3]);
  }
  life->agreed = record.time;
  life->round = record.values[1];
  life->item = small(record.values[2]);
  agreed_items_[item_key(life->round, life->item)] = pending_[record.values[0]];
}

void RankLoader::done(const Record& record) {
  TensorLife* life = life_of(record.values[0]);
  if (!life) return;
  life->done = record.time;
  life->failed = record.values[1] != 0;
  if (life->enqueued == unknown && record.values[2] != 0) life->enqueued = before(record.time, record.values[2]);
  if (life->agreed != unknown) agreed_items_.erase(item_key(life->round, life->item));
  pending_.erase(record.values[0]);
}

void RankLoader::take_batch(const Record& record) {
  switch (record.kind) {
    case Kind::round: {
      if (reasons_.size() > 4096) reasons_.clear();  // batches follow their round soon
      reasons_[record.values[0]] = names_.id_of(treering::name_of(static_cast<CutReason>(record.values[3])));
      return;
    }
    case Kind::batch: {
      Batch batch;
      batch.sequence = record.values[0];
      batch.bytes = record.values[2];
      batch.plan = name_of(record.name);
      batch.queued = record.time;
      if (const auto reason = reasons_.find(record.values[1]); reason != reasons_.end()) batch.reason = reason->second;
      if (trace_.batches.empty() || trace_.batches.back().sequence < batch.sequence) trace_.batches.push_back(batch);
      return;
    }
    case Kind::member: return member(record);
    case Kind::batch_done: return batch_done(record);
    case Kind::stage: return stage(record);
    default: return link(record);
  }
}

void RankLoader::member(const Record& record) {
  const std::uint32_t at = batch_at(record.values[0]);
  if (at == no_batch) return;
  Batch& batch = trace_.batches[at];
  if (batch.members++ == 0) batch.label = name_of(record.name);
  const auto found = agreed_items_.find(item_key(record.values[1], record.values[2]));
  if (found == agreed_items_.end()) return;
  TensorLife& life = trace_.tensors[found->second];
  if (life.batch != no_batch) return;
  life.batch = at;
  members_[at].push_back(found->second);
}

void RankLoader::batch_done(const Record& record) {
  const std::uint32_t at = batch_at(record.values[0]);
  if (at == no_batch) return;
  Batch& batch = trace_.batches[at];
  batch.path = name_of(small(record.values[1]));
  batch.done = record.time;
  batch.started = before(record.time, record.values[4]);
  batch.queued = before(record.time, record.values[3]);
  const auto found = members_.find(at);
  if (found == members_.end()) return;
  for (const std::uint32_t index : found->second) trace_.tensors[index].started = batch.started;
  members_.erase(found);
}

void RankLoader::stage(const Record& record) {
  const std::uint32_t at = batch_at(record.values[0]);
  const std::optional<Stage> stage = stage_named(record.values[1]);
  if (at == no_batch || !stage) return;
  Interval& interval = trace_.batches[at].stages[static_cast<std::size_t>(*stage)];
  const Nanoseconds end = after(record.time, record.values[2]);
  interval = interval.known() ? Interval{std::min(interval.begin, record.time), std::max(interval.end, end)}
                              : Interval{record.time, end};
}

void RankLoader::link(const Record& record) {
  LinkUse use;
  use.batch = batch_at(record.values[0]);
  use.peer = static_cast<std::int32_t>(std::min<std::uint64_t>(record.values[2], INT32_MAX));
  if (use.batch == no_batch) return;
  if (trace_.links.empty() || trace_.links.back().batch != use.batch || trace_.links.back().peer != use.peer)
    trace_.links.push_back(use);
  LinkUse& last = trace_.links.back();
  switch (static_cast<timeline::LinkUse>(record.values[1])) {
    case timeline::LinkUse::sent: last.sent += record.values[3]; break;
    case timeline::LinkUse::received: last.received += record.values[3]; break;
    default: last.in_node += record.values[3];
  }
}

void RankLoader::take_rank(const Record& record) {
  const auto& values = record.values;
  const auto time = [&values](std::size_t at) { return after(0, values[at]); };
  switch (record.kind) {
    case Kind::loop:
      trace_.loop.push_back({{record.time, after(record.time, values[0])}, time(1), time(2), time(3)});
      return;
    case Kind::asleep:
      trace_.asleep.push_back({names_.id_of("asleep"), 0, record.time, after(record.time, values[0])});
      return;
    case Kind::sample:
      trace_.samples.push_back({record.time, values[0], small(values[1]), small(values[2]), small(values[3])});
      return;
    case Kind::dropped: trace_.dropped += values[0]; return;
    case Kind::clock: points_.push_back(timeline::clock_point(record)); return;
    case Kind::stopped:
      stopped_ = record.time;
      trace_.ended = true;
      return;
    default: return;
  }
}

void RankLoader::take_users(const Record& record) {
  if (record.kind == Kind::scope_end) {
    const auto open = scopes_.find(record.values[1]);
    if (open == scopes_.end()) return;
    trace_.marks[open->second].end = record.time;
    scopes_.erase(open);
    return;
  }
  const bool scope = record.kind == Kind::scope_begin;
  if (scope) scopes_[record.values[1]] = static_cast<std::uint32_t>(trace_.marks.size());
  trace_.marks.push_back(
      {name_of(record.name), thread_of(record.values[0]), record.time, scope ? unknown : record.time});
}

RankTrace RankLoader::finish() {
  shift_to_reference(trace_, timeline::ClockMap(std::move(points_)));
  return std::move(trace_);
}

TensorLife* RankLoader::life_of(std::uint64_t operation) {
  const auto found = pending_.find(operation);
  return found == pending_.end() ? nullptr : &trace_.tensors[found->second];
}

std::uint32_t RankLoader::batch_at(std::uint64_t sequence) const {
  const auto found = std::lower_bound(trace_.batches.begin(), trace_.batches.end(), sequence,
                                      [](const Batch& batch, std::uint64_t wanted) { return batch.sequence < wanted; });
  if (found == trace_.batches.end() || found->sequence != sequence) return no_batch;
  return static_cast<std::uint32_t>(found - trace_.batches.begin());
}

std::uint32_t RankLoader::name_of(std::uint32_t id) const {
  const auto found = name_ids_.find(id);
  return found == name_ids_.end() ? 0 : found->second;
}

std::uint32_t RankLoader::thread_of(std::uint64_t id) const {
  const auto found = thread_ids_.find(small(id));
  return found == thread_ids_.end() ? 0 : found->second;
}

}  // namespace treering::tools
