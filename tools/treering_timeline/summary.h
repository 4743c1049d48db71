#pragma once

#include <string>

#include "tools/treering_timeline/analysis.h"

namespace treering::tools {

/// For people, at most 100 columns wide where names allow.
std::string summary_text(const Run& run, const Analysis& analysis);

/// One JSON object; docs/timeline.md names its keys.
std::string summary_json(const Run& run, const Analysis& analysis);

}  // namespace treering::tools
