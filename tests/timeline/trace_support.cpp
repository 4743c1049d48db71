#include "tests/timeline/trace_support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
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

std::string repaired(const std::string& text) { return text.substr(0, text.rfind('\n') + 1) + "]"; }

std::vector<json> events_of(const json& trace) {
  std::vector<json> events;
  for (const json& event : trace)
    if (event.at("ph") != "M") events.push_back(event);
  return events;
}

namespace {

/// Times in whole nanoseconds, so that sums are exact.
std::int64_t nanoseconds(const json& value) { return std::llround(value.get<double>() * 1000); }

void check_fields(const json& event) {
  REQUIRE(event.at("name").is_string());
  REQUIRE(event.at("pid").is_number_integer());
  REQUIRE(event.at("tid").is_number_integer());
  const std::string kind = event.at("ph");
  REQUIRE(std::string("MXbei").find(kind) != std::string::npos);
  if (kind == "M") {
    REQUIRE(event.at("args").is_object());
    return;
  }
  REQUIRE(nanoseconds(event.at("ts")) >= 0);
  REQUIRE(event.at("cat").is_string());
  if (kind == "X") REQUIRE(nanoseconds(event.at("dur")) >= 0);
  if (kind == "i") REQUIRE((event.at("s") == "t" || event.at("s") == "p"));
}

void check_pairs(const std::vector<json>& events) {
  std::map<std::string, json> open;
  for (const json& event : events) {
    if (event.at("ph") != "b" && event.at("ph") != "e") continue;
    const std::string id = event.at("id");
    if (event.at("ph") == "b") {
      REQUIRE(open.emplace(id, event).second);
      continue;
    }
    REQUIRE(open.contains(id));
    const json begin = open.at(id);
    for (const char* field : {"name", "cat", "pid", "tid"}) REQUIRE(begin.at(field) == event.at(field));
    REQUIRE(nanoseconds(begin.at("ts")) <= nanoseconds(event.at("ts")));
    open.erase(id);
  }
  REQUIRE(open.empty());
}

struct Interval {
  std::int64_t begin;
  std::int64_t end;
};

void check_nesting(std::vector<Interval> spans) {
  std::ranges::sort(spans, [](const Interval& left, const Interval& right) {
    return left.begin != right.begin ? left.begin < right.begin : left.end > right.end;
  });
  std::vector<Interval> open;
  for (const Interval& span : spans) {
    while (!open.empty() && open.back().end <= span.begin) open.pop_back();
    if (!open.empty()) REQUIRE(span.end <= open.back().end);
    open.push_back(span);
  }
}

}  // namespace

void check_trace(const json& trace) {
  for (const json& event : trace) check_fields(event);
  const std::vector<json> events = events_of(trace);
  check_pairs(events);
  std::map<int, std::vector<Interval>> rows;
  for (const json& event : events)
    if (event.at("ph") == "X") {
      const std::int64_t begin = nanoseconds(event.at("ts"));
      rows[event.at("tid").get<int>()].push_back({begin, begin + nanoseconds(event.at("dur"))});
    }
  for (auto& [row, spans] : rows) check_nesting(std::move(spans));
}

}  // namespace treering::timeline
