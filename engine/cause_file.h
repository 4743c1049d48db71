#pragma once

#include <string>

#include "base/log.h"
#include "treering/status.h"

namespace treering {

/// Appends one line for `rank`; a file that cannot be written is a warning, never a second failure.
void append_cause(const std::string& path, int rank, const Status& cause, const Log& log);

}  // namespace treering
