// spool_json FROM.trace TO.json: one rank's spool as Chrome trace JSON, for tests of jobs that died.

#include <cstdio>

#include "timeline/chrome_trace.h"

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const std::string problem = treering::timeline::write_chrome_trace(arguments[1], arguments[2]);
  if (problem.empty()) return 0;
  std::fprintf(stderr, "%s\n", problem.c_str());
  return 1;
}
