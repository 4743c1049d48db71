#pragma once

#include <string>
#include <vector>

namespace treering::tools {

struct CheckResult {
  bool well_formed = true;
  std::string text;  ///< one line for each file, and one for each fault
};

/// Whether the files are whole and what they say fits together: no block is torn or damaged, ranks are there once,
/// times are in order, what is the same on all ranks is, and nothing was done before it was ready. Throws
/// std::runtime_error as `find_traces`.
CheckResult check_files(const std::vector<std::string>& paths);

}  // namespace treering::tools
