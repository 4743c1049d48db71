#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <memory>
#include <thread>

#include "timeline/toggle_signal.h"
#include "treering/status.h"

using namespace treering;
using namespace treering::timeline;

namespace {

void wait_until(const std::atomic<int>& count, int least) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (count.load() < least) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::yield();
  }
}

}  // namespace

TEST_CASE("toggle_signal: every listener hears every signal, and the disposition is given back") {
  struct sigaction before{};
  ::sigaction(SIGUSR2, nullptr, &before);
  std::atomic<int> first{0};
  std::atomic<int> second{0};
  {
    const ToggleSignal one([&] { ++first; });
    auto two = std::make_unique<ToggleSignal>([&] { ++second; });
    for (int i = 1; i <= 20; ++i) {
      REQUIRE(::raise(SIGUSR2) == 0);
      wait_until(first, i);
      wait_until(second, i);
    }
    two.reset();
    REQUIRE(::raise(SIGUSR2) == 0);
    wait_until(first, 21);
    CHECK(second.load() == 20);
  }
  struct sigaction after{};
  ::sigaction(SIGUSR2, nullptr, &after);
  CHECK((after.sa_handler == before.sa_handler));
}

TEST_CASE("toggle_signal: a handler of the program's own is left alone") {
  const auto before = ::signal(SIGUSR2, [](int) {});
  CHECK_THROWS_AS(ToggleSignal([] {}), Error);
  const auto mine = ::signal(SIGUSR2, before);
  CHECK((mine != SIG_DFL && mine != before));
}

TEST_CASE("toggle_signal: more listeners than places is an error, and places come back") {
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<std::unique_ptr<ToggleSignal>> all;
    for (int i = 0; i < 16; ++i) all.push_back(std::make_unique<ToggleSignal>([] {}));
    CHECK_THROWS_AS(ToggleSignal([] {}), Error);
  }
}
