#pragma once

#include <chrono>
#include <string>

namespace treering {

/// Ends this process with status 1 after `patience`, whatever its threads are stuck in, unless it has ended by itself
/// before. For processes whose job has failed: a program may sit in a call that a dead rank will never answer.
void exit_after(std::chrono::milliseconds patience, const std::string& cause);

}  // namespace treering
