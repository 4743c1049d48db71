#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace treering {

void fail_check(const char* condition, const char* file, int line, std::string_view why) {
  std::fprintf(stderr, "treering: internal error at %s:%d: %s is false: %.*s\n", file, line, condition,
               static_cast<int>(why.size()), why.data());
  std::abort();
}

}  // namespace treering
