#include "tools/treering_timeline/chrome_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace treering::tools {
namespace {

/// Viewers compute in doubles: later times are drawn at this one.
constexpr Nanoseconds latest = (Nanoseconds{1} << 53) - 1;

void append_microseconds(std::string& text, Nanoseconds time) {
  const Nanoseconds shown = std::clamp<Nanoseconds>(time, 0, latest);
  fmt::format_to(std::back_inserter(text), "{}.{:03}", shown / 1000, shown % 1000);
}

}  // namespace

std::string quoted_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

const std::string& ChromeEvents::quoted(std::uint32_t name) {
  std::string& text = quoted_[name];
  if (text.empty()) text = quoted_json(names_.text(name));
  return text;
}

void ChromeEvents::open(const std::string& other_data) {
  text_ += "{\"displayTimeUnit\":\"ms\",\"otherData\":" + other_data + ",\"traceEvents\":[\n";
}

void ChromeEvents::process(int rank, const std::string& name) {
  begin_line();
  fmt::format_to(std::back_inserter(text_),
                 R"({{"name":"process_name","ph":"M","pid":{},"tid":0,"args":{{"name":{}}}}})", rank,
                 quoted_json(name));
  begin_line();
  fmt::format_to(std::back_inserter(text_),
                 R"({{"name":"process_sort_index","ph":"M","pid":{},"tid":0,"args":{{"sort_index":{}}}}})", rank, rank);
}

void ChromeEvents::thread(int rank, std::uint32_t tid, const std::string& name) {
  begin_line();
  fmt::format_to(std::back_inserter(text_),
                 R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", rank, tid,
                 quoted_json(name));
  begin_line();
  fmt::format_to(std::back_inserter(text_),
                 R"({{"name":"thread_sort_index","ph":"M","pid":{},"tid":{},"args":{{"sort_index":{}}}}})", rank, tid,
                 tid);
}

void ChromeEvents::slice(int rank, std::uint32_t tid, std::string_view quoted_name, std::string_view category,
                         Nanoseconds begin, Nanoseconds end, std::string_view args) {
  begin_line();
  fmt::format_to(std::back_inserter(text_), R"({{"name":{},"cat":"{}","ph":"X","pid":{},"tid":{},"ts":)", quoted_name,
                 category, rank, tid);
  append_microseconds(text_, begin);
  text_ += ",\"dur\":";
  append_microseconds(text_, end - begin);
  text_ += ",\"args\":{";
  text_ += args;
  text_ += "}}";
  flush_if_long();
}

void ChromeEvents::instant(int rank, std::uint32_t tid, std::string_view quoted_name, Nanoseconds when) {
  begin_line();
  fmt::format_to(std::back_inserter(text_), R"({{"name":{},"cat":"mark","ph":"i","s":"t","pid":{},"tid":{},"ts":)",
                 quoted_name, rank, tid);
  append_microseconds(text_, when);
  text_ += '}';
  flush_if_long();
}

void ChromeEvents::counter(int rank, std::string_view name, Nanoseconds when, std::uint64_t value) {
  begin_line();
  fmt::format_to(std::back_inserter(text_), R"({{"name":"{}","ph":"C","pid":{},"tid":0,"ts":)", name, rank);
  append_microseconds(text_, when);
  fmt::format_to(std::back_inserter(text_), R"(,"args":{{"value":{}}}}})", value);
  flush_if_long();
}

void ChromeEvents::arrow(std::uint64_t id, int from_rank, std::uint32_t from_tid, Nanoseconds from, int to_rank,
                         std::uint32_t to_tid, Nanoseconds to) {
  constexpr const char* head = R"({{"name":"last ready","cat":"arrow","ph":"{}","id":{},"pid":{},"tid":{},{}"ts":)";
  begin_line();
  fmt::format_to(std::back_inserter(text_), head, 's', id, from_rank, from_tid, "");
  append_microseconds(text_, from);
  text_ += '}';
  begin_line();
  fmt::format_to(std::back_inserter(text_), head, 'f', id, to_rank, to_tid, "\"bp\":\"e\",");
  append_microseconds(text_, to);
  text_ += '}';
  flush_if_long();
}

void ChromeEvents::close() {
  text_ += "\n]}\n";
  out_.write(text_);
  text_.clear();
}

void ChromeEvents::begin_line() {
  if (!first_) text_ += ",\n";
  first_ = false;
}

void ChromeEvents::flush_if_long() {
  constexpr std::size_t longest = 1 << 20;
  if (text_.size() < longest) return;
  out_.write(text_);
  text_.clear();
}

}  // namespace treering::tools
