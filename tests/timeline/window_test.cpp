#include <doctest/doctest.h>

#include "timeline/window.h"
#include "treering/status.h"

using namespace treering;
using namespace treering::timeline;

TEST_CASE("window: what is written is understood, and nothing else") {
  using Unit = RecordWindow::Unit;
  CHECK(parse_record_window("") == RecordWindow{});
  CHECK(parse_record_window("100-120") == RecordWindow{Unit::steps, 100, 120});
  CHECK(parse_record_window("0s-25s") == RecordWindow{Unit::seconds, 0, 25});
  for (const char* bad : {"-", "5", "5-", "-5", "5-5", "6-5", "5-6s", "5s-6", "a-b", "5 - 6", "1-2-3", "-1-2",
                          "0-99999999999999999999", "1.5-2"}) {
    CAPTURE(bad);
    try {
      static_cast<void>(parse_record_window(bad));
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.code() == StatusCode::invalid_argument);
      CHECK(std::string(error.what()).find("10s-25s") != std::string::npos);
    }
  }
}

TEST_CASE("window: seconds count from the beginning of the recording") {
  WindowFilter filter({RecordWindow::Unit::seconds, 1, 3}, 5'000'000'000);
  const auto holds = [&](Nanoseconds time) { return filter.holds({Kind::loop, 0, time}); };
  CHECK_FALSE(holds(4'000'000'000));
  CHECK_FALSE(holds(5'999'999'999));
  CHECK(holds(6'000'000'000));
  CHECK(holds(7'999'999'999));
  CHECK_FALSE(filter.over());
  CHECK_FALSE(holds(8'000'000'000));
  CHECK(filter.over());
  CHECK_FALSE(holds(7'000'000'000));  // over is over
}

TEST_CASE("window: a step begins when the first tensor comes again") {
  WindowFilter filter({RecordWindow::Unit::steps, 1, 2}, 0);
  const auto post = [&](std::uint32_t name) { return filter.holds({Kind::posted, name, 0}); };
  CHECK_FALSE(filter.holds({Kind::loop, 0, 0}));
  CHECK_FALSE(post(7));
  CHECK_FALSE(post(8));
  CHECK_FALSE(filter.holds({Kind::done, 7, 0}));
  CHECK(post(7));
  CHECK(post(9));
  CHECK(filter.holds({Kind::loop, 0, 0}));
  CHECK_FALSE(post(7));
  CHECK(filter.over());
}

TEST_CASE("window: everything is everything") {
  WindowFilter filter({}, 0);
  for (int i = 0; i < 100; ++i) CHECK(filter.holds({Kind::posted, 1, i}));
  CHECK_FALSE(filter.over());
}
