#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/treering_timeline/model.h"

namespace treering::tools {

/// The traces of one engine on one rank: with a size limit, the older half is a file of its own and comes first.
using TraceFiles = std::vector<std::filesystem::path>;

/// The traces among `paths`: files as they are, of directories those whose names end in ".trace"; by name. Throws
/// std::runtime_error if a path is not there or none is left.
std::vector<TraceFiles> find_traces(const std::vector<std::string>& paths);

/// Reads traces as one run. Torn, damaged and foreign files are said in `Run::said` and used as far as they go. Throws
/// std::runtime_error if none of them can be used.
Run load_run(const std::vector<std::string>& paths);

}  // namespace treering::tools
