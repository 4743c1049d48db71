#include "timeline/chrome_trace.h"

#include <algorithm>
#include <charconv>

#include "timeline/json_text.h"
#include "timeline/names.h"

namespace treering::timeline {

namespace {

constexpr int first_user_row = 10;

std::string quoted_json(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

std::string hex(std::uint64_t value) {
  char digits[16];
  return {digits, std::to_chars(digits, digits + sizeof digits, value, 16).ptr};
}

void append_argument(std::string& out, std::string_view key, std::string_view value) {
  if (out.back() != '{') out += ',';
  append_quoted(out, key);
  out += ':';
  append_quoted(out, value);
}

Nanoseconds nanoseconds(std::uint64_t value) {
  return static_cast<Nanoseconds>(std::min<std::uint64_t>(value, INT64_MAX / 4));
}

}  // namespace

ChromeTrace::ChromeTrace(ClockMap clock, std::function<void(std::string_view)> write)
    : clock_(std::move(clock)), write_(std::move(write)) {}

void ChromeTrace::add(const Block& block) {
  for (const auto& [key, value] : block.about) about_[key] = value;
  for (const auto& [id, text] : block.names) names_[id] = text;
  if (!begun_) begin();
  for (const auto& [number, name] : block.threads) {
    const int row = first_user_row + static_cast<int>(number % 1000);
    metadata(row, "thread_name", "name", quoted_json("thread " + std::to_string(number) + " (" + name + ")"));
    metadata(row, "thread_sort_index", "sort_index", std::to_string(row));
  }
  for (const Record& record : block.records) add(record);
}

void ChromeTrace::begin() {
  begun_ = true;
  rank_ = static_cast<int>(about_number("rank") % 1'000'000);
  origin_ = static_cast<Nanoseconds>(about_number("origin"));
  write_("[\n");
  line_.clear();
  const std::string rank = std::to_string(rank_);
  metadata(0, "process_name", "name", quoted_json("rank " + rank + " (" + about_["host"] + ")"));
  metadata(0, "process_sort_index", "sort_index", rank);
  metadata(0, "process_labels", "labels", quoted_json("of " + std::to_string(about_number("size")) + " ranks"));
  constexpr const char* rows[] = {"tensors", "rounds", "batches", "engine"};
  for (int row = 1; const char* name : rows) {
    metadata(row, "thread_name", "name", quoted_json(name));
    metadata(row, "thread_sort_index", "sort_index", std::to_string(row));
    ++row;
  }
}

void ChromeTrace::end() {
  if (!begun_) begin();
  for (const auto& [number, scope] : scopes_) end_scope(scope, latest_);
  scopes_.clear();
  write_("\n]\n");
}

void ChromeTrace::add(const Record& record) {
  switch (record.kind) {
    case Kind::posted: return add_posted(record);
    case Kind::agreed:
      return span({Row::tensors, "posted", "posted", name_of(record.name), {}},
                  record.time - nanoseconds(record.values[3]), record.time);
    case Kind::done: return add_done(record);
    case Kind::callback:
      return span({Row::users, "callback", "callback", name_of(record.name), {}}, record.time,
                  record.time + nanoseconds(record.values[1]));
    case Kind::round: return add_round(record);
    case Kind::member: return add_member(record);
    case Kind::batch_done: return add_batch_done(record);
    case Kind::stage: return add_phase(record);
    case Kind::asleep:
      return span({Row::engine, "asleep", "asleep", {}, {}}, record.time, record.time + nanoseconds(record.values[0]));
    case Kind::loop:
    case Kind::sample: return add_counters(record);
    case Kind::mark: return instant({Row::users, "mark", name_of(record.name), {}, {}}, record.time);
    case Kind::scope_begin: return add_scope_begin(record);
    case Kind::scope_end: return add_scope_end(record);
    case Kind::dropped:
      line('i', "events dropped", "recorder", 4, shown(record.time)) +=
          ",\"s\":\"p\",\"args\":{\"count\":" + std::to_string(record.values[0]) + "}}";
      return finish_line();
    default: return;
  }
}

void ChromeTrace::add_posted(const Record& record) {
  span({Row::tensors, "enqueued", "enqueued", name_of(record.name), {}}, record.time - nanoseconds(record.values[3]),
       record.time);
}

void ChromeTrace::add_done(const Record& record) {
  const std::string name = name_of(record.name);
  const std::string why = record.values[1] == 0 ? "" : "failed: " + name_of(record.values[4]);
  if (record.values[3] != 0)
    span({Row::tensors, "agreed", "agreed", name, {}}, record.time - nanoseconds(record.values[3]), record.time);
  span({Row::tensors, "tensor", name, {}, why}, record.time - nanoseconds(record.values[2]), record.time);
}

void ChromeTrace::add_round(const Record& record) {
  const std::string name = "round " + std::to_string(record.values[0]);
  const std::string detail = std::to_string(record.values[1]) + " items, " + std::to_string(record.values[2]) +
                             " bytes, cut because " + reason_name(record.values[3]);
  instant({Row::rounds, "instant", name, {}, detail}, record.time);
}

void ChromeTrace::add_member(const Record& record) {
  Label& label = labels_[record.values[0]];
  if (label.members++ == 0) label.first = name_of(record.name);
}

void ChromeTrace::add_phase(const Record& record) {
  const char* const phase = timeline::name_of(static_cast<Phase>(std::min<std::uint64_t>(record.values[1], 255)));
  span({Row::batches, phase, phase, label_of(record.values[0]), {}}, record.time,
       record.time + nanoseconds(record.values[2]));
}

void ChromeTrace::add_batch_done(const Record& record) {
  const auto& [batch, path, lane, waited, ran, bytes] = record.values;
  const std::string label = label_of(batch);
  const std::string detail = "batch " + std::to_string(batch) + ", lane " + std::to_string(lane) + ", " +
                             std::to_string(bytes) + " bytes, " + name_of(path);
  const Nanoseconds started = record.time - nanoseconds(ran);
  span({Row::batches, "queued", "queued", label, detail}, record.time - nanoseconds(waited), started);
  span({Row::batches, "running", label, {}, detail}, started, record.time);
  labels_.erase(batch);
}

void ChromeTrace::add_scope_begin(const Record& record) {
  const int row = first_user_row + static_cast<int>(record.values[0] % 1000);
  const auto [open, fresh] = scopes_.try_emplace(record.values[1], Scope{next_id(), name_of(record.name), row});
  if (!fresh) return;
  const Scope& scope = open->second;
  line('b', scope.name, "scope", row, shown(record.time)) += ",\"id\":\"" + scope.id + "\",\"args\":{}}";
  finish_line();
}

void ChromeTrace::add_scope_end(const Record& record) {
  const auto open = scopes_.find(record.values[1]);
  if (open == scopes_.end()) return;  // it began before the recording
  end_scope(open->second, shown(record.time));
  scopes_.erase(open);
}

void ChromeTrace::end_scope(const Scope& scope, Nanoseconds when) {
  line('e', scope.name, "scope", scope.row, when) += ",\"id\":\"" + scope.id + "\"}";
  finish_line();
}

void ChromeTrace::add_counters(const Record& record) {
  const bool loop = record.kind == Kind::loop;
  const char* const keys[2][3] = {{"pending", "batches waiting", "batches running"}, {"working", "spinning", "asleep"}};
  std::string& text = line('C', loop ? "engine thread, us" : "queues", "counters", 4, shown(record.time));
  text += ",\"args\":{";
  for (std::size_t i = 0; i < 3; ++i) {
    text += i == 0 ? "\"" : ",\"";
    text += keys[loop ? 1 : 0][i];
    text += "\":" + std::to_string(loop ? record.values[i + 1] / 1000 : record.values[i + 1]);
  }
  text += "}}";
  finish_line();
}

void ChromeTrace::span(const Part& part, Nanoseconds begin, Nanoseconds end) {
  begin = shown(begin);
  end = std::max(begin, shown(end));
  if (part.row != Row::engine || !engine_row_.accepts(begin, end)) return async(part, next_id(), begin, end);
  line('X', part.title, part.category, 4, begin) += ",\"dur\":";
  append_microseconds(line_, end - begin);
  arguments(part);
  finish_line();
}

void ChromeTrace::async(const Part& part, const std::string& id, Nanoseconds begin, Nanoseconds end) {
  const int row = part.row == Row::users ? first_user_row : static_cast<int>(part.row) + 1;
  line('b', part.title, part.category, row, begin) += ",\"id\":\"" + id + '"';
  arguments(part);
  finish_line();
  line('e', part.title, part.category, row, end) += ",\"id\":\"" + id + "\"}";
  finish_line();
}

void ChromeTrace::instant(const Part& part, Nanoseconds when) {
  const int row = part.row == Row::users ? first_user_row : static_cast<int>(part.row) + 1;
  line('i', part.title, part.category, row, shown(when)) += ",\"s\":\"t\"";
  arguments(part);
  finish_line();
}

void ChromeTrace::arguments(const Part& part) {
  line_ += ",\"args\":{";
  if (!part.of.empty()) append_argument(line_, "of", part.of);
  if (!part.detail.empty()) append_argument(line_, "detail", part.detail);
  line_ += "}}";
}

/// `value` is a JSON value already.
void ChromeTrace::metadata(int row, std::string_view kind, std::string_view key, const std::string& value) {
  line_ += "{\"name\":" + quoted_json(kind) + ",\"ph\":\"M\",\"pid\":" + std::to_string(rank_) +
           ",\"tid\":" + std::to_string(row) + ",\"args\":{" + quoted_json(key) + ":" + value + "}}";
  finish_line();
}

std::string& ChromeTrace::line(char kind, std::string_view name, std::string_view category, int row, Nanoseconds when) {
  latest_ = std::max(latest_, when);
  line_ += "{\"name\":";
  append_quoted(line_, name);
  line_ += ",\"cat\":";
  append_quoted(line_, category);
  line_ += ",\"ph\":\"";
  line_ += kind;
  line_ += "\",\"pid\":" + std::to_string(rank_) + ",\"tid\":" + std::to_string(row) + ",\"ts\":";
  append_microseconds(line_, when);
  return line_;
}

/// All but the first begin with the comma that they need.
void ChromeTrace::finish_line() {
  write_(line_);
  line_ = ",\n";
}

Nanoseconds ChromeTrace::shown(Nanoseconds local) const {
  constexpr Nanoseconds most = Nanoseconds{1} << 62;  // what stands in a file may be anything
  const Nanoseconds tame = std::clamp(local, -most, most);
  return std::clamp<Nanoseconds>(clock_.to_reference(tame) - origin_, 0, most);
}

std::string ChromeTrace::name_of(std::uint64_t id) const {
  const auto found = names_.find(static_cast<std::uint32_t>(id));
  return found == names_.end() ? std::string() : found->second;
}

std::string ChromeTrace::label_of(std::uint64_t batch) const {
  const auto found = labels_.find(batch);
  if (found == labels_.end()) return "batch " + std::to_string(batch);
  const Label& label = found->second;
  return label.members == 1 ? label.first : label.first + " and " + std::to_string(label.members - 1) + " more";
}

std::string ChromeTrace::next_id() {
  constexpr int count_bits = 40;  // of the id; above them the rank
  return "0x" + hex(static_cast<std::uint64_t>(rank_) << count_bits | next_id_++);
}

std::uint64_t ChromeTrace::about_number(const char* key) const {
  const auto found = about_.find(key);
  if (found == about_.end()) return 0;
  std::uint64_t value = 0;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  return value;
}

}  // namespace treering::timeline
