#include "base/one_shot.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

using treering::OneShot;
using namespace std::chrono_literals;

TEST_CASE("OneShot: wakes every waiter, however it races with them") {
  for (int round = 0; round < 2000; ++round) {
    OneShot event;
    int written = 0;
    std::vector<std::thread> waiters;
    for (int i = 0; i < 3; ++i)
      waiters.emplace_back([&, i] {
        if (i == 0) {
          CHECK(event.wait_until(std::chrono::steady_clock::now() + 60s));
        } else {
          event.wait();
        }
        CHECK(written == 7);
      });
    if (round % 2 == 0) std::this_thread::yield();
    written = 7;
    event.happen();
    for (std::thread& waiter : waiters) waiter.join();
    CHECK(event.happened());
  }
}

TEST_CASE("OneShot: a wait may give up, and others still wake") {
  OneShot event;
  CHECK_FALSE(event.wait_until(std::chrono::steady_clock::now() + 1ms));
  CHECK_FALSE(event.wait_until(std::chrono::steady_clock::now() - 1ms));
  std::thread waiter([&] { event.wait(); });
  event.happen();
  waiter.join();
  CHECK(event.wait_until(std::chrono::steady_clock::now() - 1ms));
}
