#include "base/config_check.h"

#include <limits>

#include "base/device_list.h"
#include "base/log.h"
#include "base/parse_value.h"
#include "base/record_window.h"
#include "treering/status.h"

namespace treering {

namespace {

constexpr std::uint64_t unit = 64;  // boundaries of chunks and pieces must not split an element or a cache line
constexpr std::uint64_t min_slot = 64 * 1024;
constexpr std::uint64_t min_heap = 1024 * 1024;
constexpr std::uint64_t min_timeline = 1024 * 1024;
constexpr std::uint64_t max_bytes = max_bytes_value;

/// Keeps the first complaint.
class Complaint {
 public:
  void size(const char* field, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    if (value < least || value > most)
      add(field, bytes_text(value), "must lie between " + bytes_text(least) + " and " + bytes_text(most) + " bytes");
  }
  void multiple(const char* field, std::uint64_t value) {
    if (value % unit != 0) add(field, bytes_text(value), "must be a multiple of " + std::to_string(unit) + " bytes");
  }
  void at_most(const char* field, std::uint64_t value, const char* other, std::uint64_t bound) {
    if (value > bound)
      add(field, bytes_text(value), std::string("must not exceed ") + other + ", which is " + bytes_text(bound));
  }
  void count(const char* field, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most)
      add(field, std::to_string(value), "must lie between " + std::to_string(least) + " and " + std::to_string(most));
  }
  template <class Duration>
  void duration(const char* field, Duration value) {
    count(field, value.count(), 0, Duration(longest_duration).count());
  }
  void add(const char* field, const std::string& value, const std::string& rule) {
    if (text_.empty()) text_ = std::string(field) + " is " + value + ": it " + rule;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <class Sizes>  // Config or Tunables: the fields they share
void check_sizes(const Sizes& value, Complaint& complaint) {
  complaint.size("window (TREERING_WINDOW)", value.window, 1, max_bytes);
  complaint.size("batch_limit (TREERING_BATCH_LIMIT)", value.batch_limit, unit, max_bytes);
  complaint.at_most("pack_limit (TREERING_PACK_LIMIT)", value.pack_limit, "batch_limit (TREERING_BATCH_LIMIT)",
                    value.batch_limit);
  complaint.size("piece_limit (TREERING_PIECE_LIMIT)", value.piece_limit, unit, max_bytes);
  complaint.multiple("piece_limit (TREERING_PIECE_LIMIT)", value.piece_limit);
  complaint.size("slot_bytes (TREERING_SLOT)", value.slot_bytes, min_slot, max_bytes);
  complaint.multiple("slot_bytes (TREERING_SLOT)", value.slot_bytes);
  complaint.size("chunk_bytes (TREERING_CHUNK)", value.chunk_bytes, unit, max_bytes);
  complaint.multiple("chunk_bytes (TREERING_CHUNK)", value.chunk_bytes);
  complaint.at_most("chunk_bytes (TREERING_CHUNK)", value.chunk_bytes, "slot_bytes (TREERING_SLOT)", value.slot_bytes);
  complaint.at_most("one_shot_limit (TREERING_ONE_SHOT_LIMIT)", value.one_shot_limit, "slot_bytes (TREERING_SLOT)",
                    value.slot_bytes);
  complaint.count("fanout (TREERING_FANOUT)", value.fanout, 2, 1024);
  complaint.count("lanes (TREERING_LANES)", value.lanes, 1, 16);
}

template <class Parse>
void check_words(const char* field, const Parse& parse) {
  try {
    parse();
  } catch (const Error& error) {
    throw Error(error.code(), std::string(field) + ": " + error.what());
  }
}

}  // namespace

std::string problem_of(const Tunables& tunables) {
  constexpr std::int64_t longest = std::chrono::nanoseconds(longest_duration).count();
  const auto signed_of = [](std::uint64_t value) {  // too large stays too large
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(value < most ? value : most);
  };
  Complaint complaint;
  check_sizes(tunables, complaint);
  complaint.count("deterministic", tunables.deterministic, 0, 1);
  complaint.count("stall_warning_ns", signed_of(tunables.stall_warning_ns), 0, longest);
  complaint.count("stall_abort_ns", signed_of(tunables.stall_abort_ns), 0, longest);
  return complaint.text();
}

void check_config(const Config& config) {
  Complaint complaint;
  check_sizes(config, complaint);
  complaint.size("heap_bytes (TREERING_HEAP)", config.heap_bytes, min_heap, max_bytes);
  complaint.duration("spin (TREERING_SPIN_US)", config.spin);
  complaint.duration("stall_warning (TREERING_STALL_WARNING_MS)", config.stall_warning);
  complaint.duration("stall_abort (TREERING_STALL_ABORT_MS)", config.stall_abort);
  complaint.duration("start_timeout (TREERING_START_TIMEOUT_MS)", config.start_timeout);
  complaint.duration("shutdown_timeout (TREERING_SHUTDOWN_TIMEOUT_MS)", config.shutdown_timeout);
  complaint.duration("failure_timeout (TREERING_FAILURE_TIMEOUT_MS)", config.failure_timeout);
  complaint.duration("exit_timeout (TREERING_EXIT_TIMEOUT_MS)", config.exit_timeout);
  for (const int node : config.node_map)
    if (node < 0)
      complaint.add("node_map (TREERING_NODE_MAP)", "a list with node " + std::to_string(node),
                    "must hold no negative node");
  if (config.timeline_limit != 0)
    complaint.size("timeline_limit (TREERING_TIMELINE_LIMIT)", config.timeline_limit, min_timeline, max_bytes);
  if (!complaint.text().empty()) throw Error(StatusCode::invalid_argument, complaint.text());
  check_words("devices (TREERING_DEVICES)", [&] { static_cast<void>(parse_devices(config.devices)); });
  check_words("log_level (TREERING_LOG)", [&] { static_cast<void>(Log::parse_level(config.log_level)); });
  check_words("timeline_window (TREERING_TIMELINE_WINDOW)",
              [&] { static_cast<void>(parse_record_window(config.timeline_window)); });
}

Tunables tunables_of(const Config& config) {
  check_config(config);
  const auto nanoseconds = [](std::chrono::milliseconds time) {
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count());
  };
  Tunables tunables;
  tunables.pack_limit = config.pack_limit;
  tunables.batch_limit = config.batch_limit;
  tunables.piece_limit = config.piece_limit;
  tunables.window = config.window;
  tunables.chunk_bytes = config.chunk_bytes;
  tunables.slot_bytes = config.slot_bytes;
  tunables.one_shot_limit = config.one_shot_limit;
  tunables.stall_warning_ns = nanoseconds(config.stall_warning);
  tunables.stall_abort_ns = nanoseconds(config.stall_abort);
  tunables.fanout = static_cast<std::uint32_t>(config.fanout);
  tunables.lanes = static_cast<std::uint32_t>(config.lanes);
  tunables.deterministic = config.deterministic ? 1 : 0;
  return tunables;
}

void adopt(const Tunables& tunables, Config& config) {
  const auto milliseconds = [](std::uint64_t nanoseconds) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(nanoseconds));
  };
  config.pack_limit = tunables.pack_limit;
  config.batch_limit = tunables.batch_limit;
  config.piece_limit = tunables.piece_limit;
  config.window = tunables.window;
  config.chunk_bytes = tunables.chunk_bytes;
  config.slot_bytes = tunables.slot_bytes;
  config.one_shot_limit = tunables.one_shot_limit;
  config.stall_warning = milliseconds(tunables.stall_warning_ns);
  config.stall_abort = milliseconds(tunables.stall_abort_ns);
  config.fanout = static_cast<int>(tunables.fanout);
  config.lanes = static_cast<int>(tunables.lanes);
  config.deterministic = tunables.deterministic != 0;
}

}  // namespace treering
