#pragma once

#include "tools/treering_timeline/options.h"

namespace treering::tools {

/// Shows a running job until interrupted, or as often as asked. Reads only what was added to the files since the last
/// picture; files that appear later are taken too. Returns the exit status.
int show_top(const TimelineOptions& options);

}  // namespace treering::tools
