#pragma once

#include <string>

#include "tools/treering_timeline/causes.h"

namespace treering::tools {

/// A cause in plain words.
struct Advice {
  std::string title;  ///< one line: what
  std::string evidence;
  std::string action;
  std::string knob;  ///< the variable to turn; empty: none helps
};

/// `steps` are those that the cause was summed over.
Advice advice_for(const Cause& cause, const Run& run, std::size_t steps);

}  // namespace treering::tools
