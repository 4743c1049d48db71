#pragma once

#include <string>
#include <vector>

namespace treering {

/// Lines to log, one for each TREERING_ variable of this process's environment that sets nothing. Like
/// `Config::from_environment`, not to be called while another thread changes the environment.
std::vector<std::string> unknown_variables();

/// In the environment of a program that a launcher has forked: its place in the job (transport/fork/seat.h).
inline constexpr char seat_variable[] = "TREERING_SEAT";
/// What that variable holds; empty = this process was not started like that. As thread-safe as the above.
std::string inherited_seat();

}  // namespace treering
