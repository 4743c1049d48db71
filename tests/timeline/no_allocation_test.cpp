// Not built with sanitizers, which bring their own operator new.

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "tests/timeline/allocation_count.h"
#include "tests/timeline/trace_support.h"
#include "timeline/trace_recorder.h"

using namespace treering;
using namespace treering::timeline;
using namespace std::chrono_literals;

TEST_CASE("recorder: recording does not allocate") {
  const TempDir directory;
  TraceRecorder recorder({.directory = directory.path(), .rank = 3, .size = 8, .host = "node-a"},
                         {.events = 64, .period = 1h});
  const std::string long_name(5000, 'y');
  const std::size_t before = allocations_of_this_thread();
  for (int number = 0; number < 100; ++number)  // the ring is full after 64
    recorder.span(Track::tensors, Phase::ring, long_name, 1, 2, "detail");
  recorder.instant(Track::engine, "done", 3, "");
  CHECK(allocations_of_this_thread() == before);
  static_cast<void>(std::make_unique<int>(1));
  const auto kept = std::make_unique<std::string>(100, 'z');
  CHECK(allocations_of_this_thread() > before);  // the counter counts
}
