#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace treering::tools {

enum class Command { merge, summary, diff, check, report, top };

struct TimelineOptions {
  Command command = Command::summary;
  std::vector<std::string> paths;   ///< directories or files; diff has two
  std::string output;               ///< merge and report: the file to write
  std::optional<Nanoseconds> from;  ///< merge and report: from the run's first event
  std::optional<Nanoseconds> to;
  bool json = false;           ///< summary, diff
  double seconds_between = 1;  ///< top
  int times = 0;               ///< top: how many pictures; 0: until interrupted
};

/// nullopt if the program should end with `exit_code` at once: help was asked for, or the command line is wrong.
std::optional<TimelineOptions> parse_timeline_options(int argc, const char* const* argv, int& exit_code);

}  // namespace treering::tools
