#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace treering::tools {

/// What a command wrote to its standard output, and how it ended.
struct CommandResult {
  bool found = false;   ///< false: there is no such program
  std::string trouble;  ///< why the output is not to be trusted; empty if the command ended well
  std::string output;   ///< both streams, cut at the limit
};

/// Runs a program of PATH without input. It is killed, with all that it started, when `limit` is over or it has written
/// more than `most_bytes`.
CommandResult run_command(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                          std::size_t most_bytes);

}  // namespace treering::tools
