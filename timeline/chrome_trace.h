#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "timeline/clock_map.h"
#include "timeline/nesting.h"
#include "timeline/spool_reader.h"

namespace treering::timeline {

/// Turns the blocks of one rank's spool into Chrome trace JSON: an array of one event per line.
///
/// Spans of the engine's row become complete events ("X"), unless they cross one another. Spans of the other rows
/// overlap (tensors live at the same time), so each becomes an async pair ("b", "e") with an id of its own, unique over
/// all ranks. The category is the phase. A span that is its subject's whole (a tensor's life, a batch running) is named
/// for the subject; a part is named for the phase, with the subject in args.of.
class ChromeTrace {
 public:
  /// `clock`: made of all `clock` records of the spool. `write` takes whole lines.
  ChromeTrace(ClockMap clock, std::function<void(std::string_view)> write);

  void add(const Block& block);
  /// Closes what is open, and the array.
  void end();

 private:
  enum class Row : std::uint8_t { tensors, rounds, batches, engine, users };
  struct Label {
    std::string first;
    std::uint64_t members = 0;
  };
  struct Scope {
    std::string id;  ///< in the trace
    std::string name;
    int row = 0;
  };
  struct Part {
    Row row = Row::tensors;
    const char* category = "";
    std::string_view title;
    std::string_view of;
    std::string_view detail;
  };

  void begin();
  void add(const Record& record);
  void add_posted(const Record& record);
  void add_done(const Record& record);
  void add_round(const Record& record);
  void add_batch_done(const Record& record);
  void add_phase(const Record& record);
  void add_member(const Record& record);
  void add_scope_begin(const Record& record);
  void add_scope_end(const Record& record);
  void end_scope(const Scope& scope, Nanoseconds when);
  void add_counters(const Record& record);

  void span(const Part& part, Nanoseconds begin, Nanoseconds end);
  void async(const Part& part, const std::string& id, Nanoseconds begin, Nanoseconds end);
  void instant(const Part& part, Nanoseconds when);
  void metadata(int row, std::string_view kind, std::string_view key, const std::string& value);
  std::string& line(char kind, std::string_view name, std::string_view category, int row, Nanoseconds when);
  void finish_line();
  void arguments(const Part& part);

  Nanoseconds shown(Nanoseconds local) const;
  std::string name_of(std::uint64_t id) const;
  std::string label_of(std::uint64_t batch) const;
  std::string next_id();
  std::uint64_t about_number(const char* key) const;

  const ClockMap clock_;
  const std::function<void(std::string_view)> write_;
  std::unordered_map<std::string, std::string> about_;
  std::unordered_map<std::uint32_t, std::string> names_;
  std::unordered_map<std::uint64_t, Label> labels_;  ///< of batches under way
  std::unordered_map<std::uint64_t, Scope> scopes_;  ///< open ones
  Nesting engine_row_;
  std::string line_;
  std::uint64_t next_id_ = 0;
  Nanoseconds origin_ = 0;
  Nanoseconds latest_ = 0;
  int rank_ = 0;
  bool begun_ = false;
};

/// Writes the spool at `from` as Chrome trace JSON to `to`. What is torn is left out. Returns what is in the way, or
/// nothing.
std::string write_chrome_trace(const std::string& from, const std::string& to);

}  // namespace treering::timeline
