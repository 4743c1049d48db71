#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/config_check.h"
#include "base/config_fields.h"
#include "base/environment.h"
#include "treering/status.h"

using namespace treering;

namespace {

using Variables = std::map<std::string, std::string>;

Config parse(const Variables& variables) {
  return parse_config([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

/// The message of the Error that these variables cause; empty if none.
std::string complaint(const Variables& variables) {
  try {
    parse(variables);
  } catch (const Error& error) {
    CHECK(error.code() == StatusCode::invalid_argument);
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A value other than the default for every variable.
const Variables all_changed{{"TREERING_PACK_LIMIT", "1000"},
                            {"TREERING_BATCH_LIMIT", "2M"},
                            {"TREERING_PIECE_LIMIT", "64"},
                            {"TREERING_WINDOW", "1G"},
                            {"TREERING_FANOUT", "2"},
                            {"TREERING_DETERMINISTIC", "true"},
                            {"TREERING_CHUNK", "64K"},
                            {"TREERING_SLOT", "128K"},
                            {"TREERING_LANES", "16"},
                            {"TREERING_ONE_SHOT_LIMIT", "0"},
                            {"TREERING_HEAP", "3M"},
                            {"TREERING_DEVICES", "host:3"},
                            {"TREERING_TOPOLOGY", "machines/this one.xml"},
                            {"TREERING_BUILDER", "packed"},
                            {"TREERING_SPIN_US", "7"},
                            {"TREERING_STALL_WARNING_MS", "8"},
                            {"TREERING_STALL_ABORT_MS", "9"},
                            {"TREERING_START_TIMEOUT_MS", "10"},
                            {"TREERING_SHUTDOWN_TIMEOUT_MS", "11"},
                            {"TREERING_FAILURE_TIMEOUT_MS", "12"},
                            {"TREERING_EXIT_TIMEOUT_MS", "13"},
                            {"TREERING_NODE_MAP", "0,0,12,1"},
                            {"TREERING_SHARED_MEMORY", "false"},
                            {"TREERING_KNOCKS", "false"},
                            {"TREERING_TIMELINE", "traces/run 1"},
                            {"TREERING_TIMELINE_PAUSED", "true"},
                            {"TREERING_TIMELINE_SIGNAL", "true"},
                            {"TREERING_TIMELINE_LIMIT", "64M"},
                            {"TREERING_TIMELINE_WINDOW", "10s-25s"},
                            {"TREERING_LOG", "debug"},
                            {"TREERING_CAUSE_FILE", "/tmp/cause"}};

}  // namespace

TEST_CASE("parse_config: nothing set gives the defaults") { CHECK(describe(parse({})) == describe(Config{})); }

TEST_CASE("parse_config: every variable reaches its own field") {
  const Config config = parse(all_changed);
  CHECK(config.pack_limit == 1000);
  CHECK(config.batch_limit == 2 * 1024 * 1024);
  CHECK(config.piece_limit == 64);
  CHECK(config.window == 1024 * 1024 * 1024);
  CHECK(config.fanout == 2);
  CHECK(config.deterministic);
  CHECK(config.chunk_bytes == 65536);
  CHECK(config.slot_bytes == 131072);
  CHECK(config.lanes == 16);
  CHECK(config.one_shot_limit == 0);
  CHECK(config.heap_bytes == 3 * 1024 * 1024);
  CHECK(config.topology == "machines/this one.xml");
  CHECK(config.builder == "packed");
  CHECK(config.spin == std::chrono::microseconds(7));
  CHECK(config.stall_warning == std::chrono::milliseconds(8));
  CHECK(config.stall_abort == std::chrono::milliseconds(9));
  CHECK(config.start_timeout == std::chrono::milliseconds(10));
  CHECK(config.shutdown_timeout == std::chrono::milliseconds(11));
  CHECK(config.failure_timeout == std::chrono::milliseconds(12));
  CHECK(config.node_map == std::vector<int>{0, 0, 12, 1});
  CHECK_FALSE(config.shared_memory);
  CHECK_FALSE(config.knocks);
  CHECK(config.timeline == "traces/run 1");
  CHECK(config.log_level == "debug");
  CHECK(config.cause_file == "/tmp/cause");
}

TEST_CASE("config_fields: names are unique and what show writes, read accepts") {
  std::set<std::string> names;
  std::set<std::string> variables;
  const Config changed = parse(all_changed);
  for (const ConfigField& field : config_fields()) {
    CAPTURE(field.name);
    names.insert(field.name);
    variables.insert(field.variable);
    CHECK(all_changed.contains(field.variable));
    CHECK(field.show(changed) == all_changed.at(field.variable));
    CHECK(field.show(changed) != field.show(Config{}));
    Config copy;
    field.read(copy, field.show(changed));
    CHECK(field.show(copy) == field.show(changed));
  }
  CHECK(names.size() == config_fields().size());
  CHECK(variables.size() == all_changed.size());
}

TEST_CASE("describe: one line per field") {
  const std::string text = describe(parse(all_changed));
  CHECK(std::ranges::count(text, '\n') == static_cast<std::ptrdiff_t>(config_fields().size()));
  CHECK(contains(text, "chunk_bytes = 64K (TREERING_CHUNK)\n"));
  CHECK(contains(text, "node_map = 0,0,12,1 (TREERING_NODE_MAP)\n"));
}

TEST_CASE("parse_config: errors name the variable, the value and what is accepted") {
  const std::string bytes = complaint({{"TREERING_CHUNK", "12 K"}});
  CHECK(contains(bytes, "TREERING_CHUNK"));
  CHECK(contains(bytes, "\"12 K\""));
  CHECK(contains(bytes, "K, M, G"));
  CHECK(contains(complaint({{"TREERING_KNOCKS", "maybe"}}), "on or 0"));
  CHECK(contains(complaint({{"TREERING_LOG", "loud"}}), "trace, debug, info, warning, error, off"));
  CHECK(contains(complaint({{"TREERING_NODE_MAP", "0,,1"}}), "like 0,0,1,1"));
  CHECK(contains(complaint({{"TREERING_SPIN_US", "50us"}}), "without a unit"));
  CHECK(contains(complaint({{"TREERING_LANES", ""}}), "TREERING_LANES"));
}

TEST_CASE("check_config: errors name the field, its value and the rule") {
  const std::string text = complaint({{"TREERING_CHUNK", "100"}});
  CHECK(contains(text, "chunk_bytes (TREERING_CHUNK) is 100"));
  CHECK(contains(text, "multiple of 64"));
  for (const auto& [variable, value] :
       std::vector<std::pair<std::string, std::string>>{{"TREERING_CHUNK", "0"},
                                                        {"TREERING_CHUNK", "2M"},  // longer than a slot
                                                        {"TREERING_SLOT", "32K"},
                                                        {"TREERING_SLOT", "1000001"},
                                                        {"TREERING_LANES", "0"},
                                                        {"TREERING_LANES", "17"},
                                                        {"TREERING_FANOUT", "1"},
                                                        {"TREERING_FANOUT", "1025"},
                                                        {"TREERING_PACK_LIMIT", "1025K"},  // above batch_limit
                                                        {"TREERING_BATCH_LIMIT", "63"},
                                                        {"TREERING_PIECE_LIMIT", "100"},
                                                        {"TREERING_PIECE_LIMIT", "0"},
                                                        {"TREERING_WINDOW", "0"},
                                                        {"TREERING_ONE_SHOT_LIMIT", "1025K"},
                                                        {"TREERING_HEAP", "64K"}}) {
    CAPTURE(variable);
    CAPTURE(value);
    CHECK(contains(complaint({{variable, value}}), variable));
  }
}

TEST_CASE("check_config: a program's own mistakes, which no variable could express") {
  const auto refuses = [](auto change) {
    Config config;
    change(config);
    CHECK_THROWS_AS(check_config(config), Error);
  };
  refuses([](Config& config) { config.spin = std::chrono::microseconds(-1); });
  refuses([](Config& config) { config.stall_abort = std::chrono::milliseconds(-1); });
  refuses([](Config& config) { config.failure_timeout = std::chrono::milliseconds::max(); });
  refuses([](Config& config) { config.node_map = {0, -1}; });
  refuses([](Config& config) { config.lanes = -4; });
  refuses([](Config& config) { config.log_level = "Warning"; });
  Config loud;
  loud.log_level = "loud";
  CHECK_THROWS_WITH(check_config(loud),
                    "log_level (TREERING_LOG): log level \"loud\" is none of trace, debug, info, warning, error, off");
}

TEST_CASE("adopt: takes over every shared field and nothing else") {
  const Tunables theirs = tunables_of(parse(all_changed));
  Config mine;
  mine.log_level = "debug";
  adopt(theirs, mine);
  CHECK(tunables_of(mine) == theirs);
  CHECK(mine.log_level == "debug");
  CHECK(mine.heap_bytes == Config{}.heap_bytes);
}

TEST_CASE("tunables_of: carries every shared field") {
  const Tunables tunables = tunables_of(parse(all_changed));
  const Tunables expected{.pack_limit = 1000,
                          .batch_limit = 2 * 1024 * 1024,
                          .piece_limit = 64,
                          .window = 1024 * 1024 * 1024,
                          .chunk_bytes = 65536,
                          .slot_bytes = 131072,
                          .one_shot_limit = 0,
                          .stall_warning_ns = 8'000'000,
                          .stall_abort_ns = 9'000'000,
                          .fanout = 2,
                          .lanes = 16,
                          .deterministic = 1};
  CHECK(tunables == expected);
  CHECK(tunables_of(Config{}) == Tunables{});
  CHECK(problem_of(tunables).empty());
}

TEST_CASE("unknown_variables: says so, with the nearest name if there is a near one") {
  const std::vector<std::string> names{
      "PATH", "TREERING_LANES", "TREERING_CHUNKS", "TREERING_NODEMAP", "TREERING_", "TREERING_COLOUR_OF_THE_SKY"};
  const auto lines = unknown_variables(names);
  REQUIRE(lines.size() == 4);
  CHECK(contains(lines[0], "\"TREERING_CHUNKS\" sets nothing; did you mean TREERING_CHUNK?"));
  CHECK(contains(lines[1], "did you mean TREERING_NODE_MAP?"));
  CHECK(contains(lines[2], "TREERING_"));
  CHECK(contains(lines[3], "docs/tuning.md"));
}

TEST_CASE("from_environment and unknown_variables read the process's environment") {
  CHECK_NOTHROW(Config::from_environment());
  const std::vector<std::string> before = unknown_variables();
  CHECK(setenv("TREERING_LANE", "3", 1) == 0);
  CHECK(setenv("TREERING_LANES", "3", 1) == 0);
  CHECK(Config::from_environment().lanes == 3);
  const std::vector<std::string> after = unknown_variables();
  unsetenv("TREERING_LANE");
  unsetenv("TREERING_LANES");
  CHECK(after.size() == before.size() + 1);
  CHECK(Config::from_environment().lanes == Config{}.lanes);
}

TEST_CASE("a launcher's seat is read, and is no unknown variable") {
  CHECK(inherited_seat().empty());
  const std::vector<std::string> before = unknown_variables();
  CHECK(setenv(seat_variable, "0/1/", 1) == 0);
  CHECK(inherited_seat() == "0/1/");
  CHECK(unknown_variables() == before);
  unsetenv(seat_variable);
}
