#pragma once

#include <string_view>

namespace treering {

/// Prints where and why to stderr and aborts: for promises that Treering itself has broken, never for user errors.
[[noreturn]] void fail_check(const char* condition, const char* file, int line, std::string_view why);

}  // namespace treering

/// A broken invariant ends the process with the reason; on in every build.
#define TREERING_CHECK(condition, why)                             \
  do {                                                             \
    if (!(condition)) [[unlikely]]                                 \
      ::treering::fail_check(#condition, __FILE__, __LINE__, why); \
  } while (false)
