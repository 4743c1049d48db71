#pragma once

#include <string>
#include <vector>

namespace treering {

/// Lines to log, one for each TREERING_ variable of this process's environment that sets nothing. Like
/// `Config::from_environment`, not to be called while another thread changes the environment.
std::vector<std::string> unknown_variables();

}  // namespace treering
