#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/treering_timeline/model.h"
#include "tools/treering_timeline/out_file.h"

namespace treering::tools {

/// `text` as a JSON string with its quotes; what is no UTF-8 becomes U+FFFD.
std::string quoted_json(std::string_view text);

/// The events of a Chrome trace, one a line.
class ChromeEvents {
 public:
  ChromeEvents(const Names& names, OutFile& out) : quoted_(names.size()), names_(names), out_(out) {}

  /// `text` is JSON.
  void open(const std::string& other_data);
  void process(int rank, const std::string& name);
  void thread(int rank, std::uint32_t tid, const std::string& name);
  /// `args` are the inside of a JSON object, may be empty.
  void slice(int rank, std::uint32_t tid, std::string_view quoted_name, std::string_view category, Nanoseconds begin,
             Nanoseconds end, std::string_view args);
  void instant(int rank, std::uint32_t tid, std::string_view quoted_name, Nanoseconds when);
  void counter(int rank, std::string_view name, Nanoseconds when, std::uint64_t value);
  void arrow(std::uint64_t id, int from_rank, std::uint32_t from_tid, Nanoseconds from, int to_rank,
             std::uint32_t to_tid, Nanoseconds to);
  void close();

  /// A name of the run as a JSON string.
  const std::string& quoted(std::uint32_t name);

 private:
  void begin_line();
  void flush_if_long();

  std::vector<std::string> quoted_;
  const Names& names_;
  OutFile& out_;
  std::string text_;
  bool first_ = true;
};

}  // namespace treering::tools
