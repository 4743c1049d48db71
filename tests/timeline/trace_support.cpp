#include "tests/timeline/trace_support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace treering::timeline {

using nlohmann::json;

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "treering-trace-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

json parse_trace(const std::string& text) {
  json trace;
  REQUIRE_NOTHROW(trace = json::parse(text));
  REQUIRE(trace.is_array());
  return trace;
}

std::vector<Block> blocks_of(const std::string& text, SpoolDamage* damage) {
  SpoolReader reader(std::as_bytes(std::span(text)));
  std::vector<Block> blocks;
  while (auto block = reader.next()) blocks.push_back(std::move(*block));
  if (damage != nullptr) *damage = {reader.skipped(), reader.torn_at_end()};
  return blocks;
}

std::vector<Record> records_of(const std::vector<Block>& blocks, std::initializer_list<Kind> kinds) {
  std::vector<Record> records;
  for (const Block& block : blocks)
    for (const Record& record : block.records)
      if (kinds.size() == 0 || std::ranges::find(kinds, record.kind) != kinds.end()) records.push_back(record);
  return records;
}

void check_spool(const std::vector<Block>& blocks) {
  REQUIRE_FALSE(blocks.empty());
  REQUIRE(blocks.front().begins_recording());
  for (const Block& block : blocks) {
    REQUIRE(block.unknown == 0);
    REQUIRE(block.header.records ==
            block.records.size() + block.names.size() + block.threads.size() + block.about.size());
    std::set<std::uint64_t> known{0};
    for (const auto& [id, name] : block.names) REQUIRE(known.insert(id).second);
    for (const Record& record : block.records) {
      REQUIRE(known.contains(record.name));
      for (std::size_t i = 0; i < most_values; ++i)
        if ((layout_of(record.kind).name_values >> i & 1) != 0) REQUIRE(known.contains(record.values[i]));
    }
    if (!block.begins_recording()) continue;
    REQUIRE_FALSE(block.about.empty());
    REQUIRE(block.records.front().kind == Kind::clock);
  }
}

std::vector<json> events_of(const json& trace) {
  std::vector<json> events;
  for (const json& event : trace)
    if (event.at("ph") != "M") events.push_back(event);
  return events;
}

namespace {

/// Times in whole nanoseconds, so that sums are exact.
std::int64_t nanoseconds(const json& value) { return std::llround(value.get<double>() * 1000); }

bool has_fields(const json& event) {
  const std::string kind = event.at("ph");
  if (!event.at("name").is_string() || !event.at("pid").is_number_integer() || !event.at("tid").is_number_integer())
    return false;
  if (kind == "M") return event.at("args").is_object();
  if (nanoseconds(event.at("ts")) < 0 || !event.at("cat").is_string()) return false;
  if (kind == "X") return nanoseconds(event.at("dur")) >= 0;
  if (kind == "i") return event.at("s") == "t" || event.at("s") == "p";
  return kind == "b" || kind == "e" || kind == "C";
}

bool ends(const json& begin, const json& end) {
  for (const char* field : {"name", "cat", "pid", "tid"})
    if (begin.at(field) != end.at(field)) return false;
  return nanoseconds(begin.at("ts")) <= nanoseconds(end.at("ts"));
}

/// The id of the first event that is no half of a pair; empty if there is none.
std::string unpaired(const std::vector<json>& events) {
  std::map<std::string, const json*> open;
  for (const json& event : events) {
    if (event.at("ph") != "b" && event.at("ph") != "e") continue;
    const std::string id = event.at("id");
    const bool opened = open.contains(id);
    if (event.at("ph") == "b") {
      if (opened) return id;
      open[id] = &event;
    } else {
      if (!opened || !ends(*open.at(id), event)) return id;
      open.erase(id);
    }
  }
  return open.empty() ? "" : open.begin()->first;
}

struct Interval {
  std::int64_t begin;
  std::int64_t end;
};

bool nest(std::vector<Interval> spans) {
  std::ranges::sort(spans, [](const Interval& left, const Interval& right) {
    return left.begin != right.begin ? left.begin < right.begin : left.end > right.end;
  });
  std::vector<Interval> open;
  for (const Interval& span : spans) {
    while (!open.empty() && open.back().end <= span.begin) open.pop_back();
    if (!open.empty() && span.end > open.back().end) return false;
    open.push_back(span);
  }
  return true;
}

}  // namespace

void check_trace(const json& trace) {
  for (const json& event : trace)
    if (!has_fields(event)) FAIL(event.dump());
  const std::vector<json> events = events_of(trace);
  REQUIRE(unpaired(events) == "");
  std::map<int, std::vector<Interval>> rows;
  for (const json& event : events)
    if (event.at("ph") == "X") {
      const std::int64_t begin = nanoseconds(event.at("ts"));
      rows[event.at("tid").get<int>()].push_back({begin, begin + nanoseconds(event.at("dur"))});
    }
  for (auto& [row, spans] : rows) REQUIRE(nest(std::move(spans)));
}

}  // namespace treering::timeline
