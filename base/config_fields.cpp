#include "base/config_fields.h"

#include <array>
#include <limits>

#include "base/config_check.h"
#include "base/device_list.h"
#include "base/edit_distance.h"
#include "base/log.h"
#include "base/parse_value.h"
#include "treering/status.h"

namespace treering {

namespace {

template <auto Member>
constexpr ConfigField bytes_field(const char* name, const char* variable) {
  return {name, variable, [](Config& config, std::string_view text) { config.*Member = parse_bytes(text); },
          [](const Config& config) { return bytes_text(config.*Member); }};
}

template <auto Member>
constexpr ConfigField count_field(const char* name, const char* variable) {
  return {name, variable,
          [](Config& config, std::string_view text) {
            config.*Member = static_cast<int>(parse_count(text, std::numeric_limits<int>::max()));
          },
          [](const Config& config) { return std::to_string(config.*Member); }};
}

template <auto Member>
constexpr ConfigField bool_field(const char* name, const char* variable) {
  return {name, variable, [](Config& config, std::string_view text) { config.*Member = parse_bool(text); },
          [](const Config& config) { return std::string(config.*Member ? "true" : "false"); }};
}

template <auto Member>
constexpr ConfigField duration_field(const char* name, const char* variable) {
  return {name, variable,
          [](Config& config, std::string_view text) {
            using Duration = std::remove_reference_t<decltype(config.*Member)>;
            const auto longest = static_cast<std::uint64_t>(Duration(longest_duration).count());
            config.*Member = Duration(static_cast<typename Duration::rep>(parse_count(text, longest)));
          },
          [](const Config& config) { return std::to_string((config.*Member).count()); }};
}

template <auto Member>
constexpr ConfigField text_field(const char* name, const char* variable) {
  return {name, variable, [](Config& config, std::string_view text) { config.*Member = text; },
          [](const Config& config) { return config.*Member; }};
}

void read_level(Config& config, std::string_view text) {
  static_cast<void>(Log::parse_level(text));
  config.log_level = text;
}

void read_devices(Config& config, std::string_view text) {
  static_cast<void>(parse_devices(text));
  config.devices = text;
}

std::string show_node_map(const Config& config) {
  std::string text;
  for (const int node : config.node_map) text += (text.empty() ? "" : ",") + std::to_string(node);
  return text;
}

constexpr std::array fields{
    bytes_field<&Config::pack_limit>("pack_limit", "TREERING_PACK_LIMIT"),
    bytes_field<&Config::batch_limit>("batch_limit", "TREERING_BATCH_LIMIT"),
    bytes_field<&Config::piece_limit>("piece_limit", "TREERING_PIECE_LIMIT"),
    bytes_field<&Config::window>("window", "TREERING_WINDOW"),
    count_field<&Config::fanout>("fanout", "TREERING_FANOUT"),
    bool_field<&Config::deterministic>("deterministic", "TREERING_DETERMINISTIC"),
    bytes_field<&Config::chunk_bytes>("chunk_bytes", "TREERING_CHUNK"),
    bytes_field<&Config::slot_bytes>("slot_bytes", "TREERING_SLOT"),
    count_field<&Config::lanes>("lanes", "TREERING_LANES"),
    bytes_field<&Config::one_shot_limit>("one_shot_limit", "TREERING_ONE_SHOT_LIMIT"),
    bytes_field<&Config::heap_bytes>("heap_bytes", "TREERING_HEAP"),
    ConfigField{"devices", "TREERING_DEVICES", read_devices, [](const Config& config) { return config.devices; }},
    text_field<&Config::topology>("topology", "TREERING_TOPOLOGY"),
    text_field<&Config::builder>("builder", "TREERING_BUILDER"),
    duration_field<&Config::spin>("spin", "TREERING_SPIN_US"),
    duration_field<&Config::stall_warning>("stall_warning", "TREERING_STALL_WARNING_MS"),
    duration_field<&Config::stall_abort>("stall_abort", "TREERING_STALL_ABORT_MS"),
    duration_field<&Config::start_timeout>("start_timeout", "TREERING_START_TIMEOUT_MS"),
    duration_field<&Config::shutdown_timeout>("shutdown_timeout", "TREERING_SHUTDOWN_TIMEOUT_MS"),
    duration_field<&Config::failure_timeout>("failure_timeout", "TREERING_FAILURE_TIMEOUT_MS"),
    duration_field<&Config::exit_timeout>("exit_timeout", "TREERING_EXIT_TIMEOUT_MS"),
    ConfigField{"node_map", "TREERING_NODE_MAP",
                [](Config& config, std::string_view text) { config.node_map = parse_node_map(text); }, show_node_map},
    bool_field<&Config::shared_memory>("shared_memory", "TREERING_SHARED_MEMORY"),
    bool_field<&Config::knocks>("knocks", "TREERING_KNOCKS"),
    text_field<&Config::timeline>("timeline", "TREERING_TIMELINE"),
    bool_field<&Config::timeline_paused>("timeline_paused", "TREERING_TIMELINE_PAUSED"),
    bool_field<&Config::timeline_signal>("timeline_signal", "TREERING_TIMELINE_SIGNAL"),
    bytes_field<&Config::timeline_limit>("timeline_limit", "TREERING_TIMELINE_LIMIT"),
    text_field<&Config::timeline_window>("timeline_window", "TREERING_TIMELINE_WINDOW"),
    ConfigField{"log_level", "TREERING_LOG", read_level, [](const Config& config) { return config.log_level; }},
    text_field<&Config::cause_file>("cause_file", "TREERING_CAUSE_FILE"),
};

const ConfigField* field_of(std::string_view variable) {
  for (const ConfigField& field : fields)
    if (variable == field.variable) return &field;
  return nullptr;
}

std::string hint_for(std::string_view variable) {
  const ConfigField* nearest = nullptr;
  std::size_t least = 6;  // further away it is no misspelling
  for (const ConfigField& field : fields) {
    const std::size_t distance = edit_distance(variable, field.variable);
    if (distance >= least) continue;
    least = distance;
    nearest = &field;
  }
  return nearest ? std::string("did you mean ") + nearest->variable + "?" : "docs/tuning.md lists all that do";
}

}  // namespace

std::span<const ConfigField> config_fields() { return fields; }

Config parse_config(const Lookup& lookup) {
  Config config;
  for (const ConfigField& field : fields) {
    const char* const text = lookup(field.variable);
    if (text == nullptr) continue;
    try {
      field.read(config, text);
    } catch (const Error& error) {
      throw Error(error.code(), std::string(field.variable) + ": " + error.what());
    }
  }
  check_config(config);
  return config;
}

std::string describe(const Config& config) {
  std::string text;
  for (const ConfigField& field : fields)
    text += std::string(field.name) + " = " + field.show(config) + " (" + field.variable + ")\n";
  return text;
}

std::vector<std::string> unknown_variables(std::span<const std::string> names) {
  std::vector<std::string> lines;
  for (const std::string& name : names)
    if (name.starts_with("TREERING_") && field_of(name) == nullptr)
      lines.push_back("environment variable " + quoted(name) + " sets nothing; " + hint_for(name));
  return lines;
}

}  // namespace treering
