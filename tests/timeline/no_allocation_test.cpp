// Not built with sanitizers, which bring their own operator new.

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "tests/timeline/allocation_count.h"
#include "tests/timeline/trace_support.h"
#include "timeline/timeline.h"

using namespace treering;
using namespace treering::timeline;
using namespace std::chrono_literals;

TEST_CASE("timeline: recording does not allocate") {
  const TempDir directory;
  const RealClock clock;
  const Log log(LogLevel::off, 3);
  TimelineOptions options;
  options.engine_events = 64;
  options.period = 1h;
  Timeline timeline(std::move(options), clock, log);
  timeline.start(directory.path());
  timeline.record_here({Kind::mark, 0, 1}, 0);  // makes this thread's ring
  const std::string name(5000, 'y');
  const std::uint32_t id = timeline.name(name);
  const std::size_t before = allocations_of_this_thread();
  for (int number = 0; number < 100; ++number)  // the ring is full after 64
    timeline.record({Kind::posted, timeline.name(name), number});
  timeline.record_here({Kind::mark, id, 1}, 0);
  CHECK(allocations_of_this_thread() == before);
  static_cast<void>(std::make_unique<int>(1));
  const auto kept = std::make_unique<std::string>(100, 'z');
  CHECK(allocations_of_this_thread() > before);  // the counter counts
}
