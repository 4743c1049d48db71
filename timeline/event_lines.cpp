#include "timeline/event_lines.h"

#include <algorithm>
#include <array>

#include "timeline/json_text.h"
#include "timeline/names.h"

namespace treering::timeline {

namespace {

bool is_whole(Phase phase) { return phase == Phase::tensor || phase == Phase::round || phase == Phase::running; }

/// What the viewer writes on the span.
std::string_view title_of(const Event& event) {
  const std::string_view name = event.name.view();
  if (event.kind == EventKind::instant) return name;
  return is_whole(event.phase) && !name.empty() ? name : name_of(event.phase);
}

int row_of(Track track) { return static_cast<int>(track) + 1; }

void append_field(std::string& out, std::string_view key, std::string_view value) {
  if (out.back() != '{') out += ',';
  append_quoted(out, key);
  out += ':';
  append_quoted(out, value);
}

void append_args(std::string& out, const Event& event) {
  const std::string_view name = event.name.view();
  const std::string_view detail = event.detail.view();
  out += ",\"args\":{";
  if (!name.empty() && name != title_of(event)) append_field(out, "of", name);
  if (!detail.empty()) append_field(out, "detail", detail);
  out += '}';
}

std::string hex(std::uint64_t value) {
  std::string digits;
  do digits += "0123456789abcdef"[value & 15];
  while ((value >>= 4) != 0);
  return {digits.rbegin(), digits.rend()};
}

/// `value` is a JSON value already.
std::string metadata(int pid, int tid, std::string_view kind, std::string_view key, const std::string& value) {
  std::string line = "{\"name\":";
  append_quoted(line, kind);
  line += ",\"ph\":\"M\",\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) + ",\"args\":{";
  append_quoted(line, key);
  return line + ':' + value + "}}\n";
}

std::string quoted_json(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

}  // namespace

std::string EventLines::header() const {
  std::array<char, 128> host{};
  const std::string_view shown(host.data(), copy_shortened(options_.host, host));
  const std::string rank = std::to_string(options_.rank);
  std::string lines = "[\n" + metadata(options_.rank, 0, "process_name", "name",
                                       quoted_json("rank " + rank + " (" + std::string(shown) + ")"));
  lines += ',' + metadata(options_.rank, 0, "process_sort_index", "sort_index", rank);
  lines += ',' + metadata(options_.rank, 0, "process_labels", "labels",
                          quoted_json("of " + std::to_string(options_.size) + " ranks"));
  for (std::size_t index = 0; index < track_count; ++index) {
    const auto track = static_cast<Track>(index);
    const int row = row_of(track);
    lines += ',' + metadata(options_.rank, row, "thread_name", "name", quoted_json(name_of(track)));
    lines += ',' + metadata(options_.rank, row, "thread_sort_index", "sort_index", std::to_string(row));
  }
  return lines;
}

void EventLines::render(const Event& event, std::string& lines) {
  lines.clear();
  const Nanoseconds begin = since_origin(event.begin);
  const Nanoseconds end = std::max(begin, since_origin(event.end));
  latest_ = std::max(latest_, end);
  if (event.kind == EventKind::instant) {
    render_instant(event, begin, lines);
  } else if (event.track == Track::engine && engine_row_.accepts(begin, end)) {
    render_complete(event, begin, end, lines);
  } else {
    render_async(event, begin, end, lines);
  }
}

void EventLines::render_dropped(std::uint64_t dropped, std::string& lines) const {
  lines.clear();
  begin_line(lines, 'i', "events dropped", "recorder", Track::engine, latest_);
  lines += ",\"s\":\"p\",\"args\":{\"count\":" + std::to_string(dropped) + "}}\n";
}

Nanoseconds EventLines::since_origin(Nanoseconds time) const {
  return std::max<Nanoseconds>(0, time - options_.origin);
}

void EventLines::render_complete(const Event& event, Nanoseconds begin, Nanoseconds end, std::string& lines) const {
  begin_line(lines, 'X', title_of(event), name_of(event.phase), event.track, begin);
  lines += ",\"dur\":";
  append_microseconds(lines, end - begin);
  append_args(lines, event);
  lines += "}\n";
}

void EventLines::render_async(const Event& event, Nanoseconds begin, Nanoseconds end, std::string& lines) {
  constexpr int count_bits = 40;  // of the id; above them the rank
  const std::uint64_t id = static_cast<std::uint64_t>(options_.rank) << count_bits | next_id_++;
  const std::string id_field = ",\"id\":\"0x" + hex(id) + '"';
  begin_line(lines, 'b', title_of(event), name_of(event.phase), event.track, begin);
  lines += id_field;
  append_args(lines, event);
  lines += "}\n";
  begin_line(lines, 'e', title_of(event), name_of(event.phase), event.track, end);
  lines += id_field + "}\n";
}

void EventLines::render_instant(const Event& event, Nanoseconds when, std::string& lines) const {
  begin_line(lines, 'i', title_of(event), "instant", event.track, when);
  lines += ",\"s\":\"t\"";
  append_args(lines, event);
  lines += "}\n";
}

void EventLines::begin_line(std::string& lines, char kind, std::string_view name, std::string_view category,
                            Track track, Nanoseconds when) const {
  lines += ",{\"name\":";
  append_quoted(lines, name);
  lines += ",\"cat\":";
  append_quoted(lines, category);
  lines += ",\"ph\":\"";
  lines += kind;
  lines += "\",\"pid\":" + std::to_string(options_.rank) + ",\"tid\":" + std::to_string(row_of(track)) + ",\"ts\":";
  append_microseconds(lines, when);
}

}  // namespace treering::timeline
