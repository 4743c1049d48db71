#include "engine/helm.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using treering::Helm;

/// Counts what is asked of it; only the thread that holds the helm may.
class Counting final : public treering::Steered {
 public:
  bool step() override {
    CHECK(awake);
    return ++steps <= moves;
  }
  void wake() override {
    CHECK_FALSE(awake);
    awake = true;
  }
  void rest() override {
    CHECK(awake);
    awake = false;
    ++rests;
  }

  int moves = 0;  ///< so many steps move something
  int steps = 0;
  int rests = 0;
  bool awake = false;
};

TEST_CASE("Helm: a watch takes a free helm with its first step and lets go of it at its end, through rest") {
  Counting loop;
  loop.moves = 2;
  Helm helm(loop);
  {
    const Helm::Watch idle(helm);
  }
  CHECK(loop.rests == 0);
  {
    Helm::Watch watch(helm);
    CHECK(watch.step());
    CHECK(watch.step());
    CHECK_FALSE(watch.step());
    CHECK(loop.awake);
  }
  CHECK(loop.steps == 3);
  CHECK(loop.rests == 1);
  CHECK_FALSE(loop.awake);
}

TEST_CASE("Helm: while the engine thread or another waiter holds it, a watch steps nothing") {
  Counting loop;
  loop.moves = 100;
  Helm helm(loop);
  {
    const auto hold = helm.hold();
    std::thread([&] {
      Helm::Watch watch(helm);
      CHECK_FALSE(watch.step());
    }).join();
    CHECK(loop.steps == 0);
  }
  Helm::Watch first(helm);
  CHECK(first.step());
  std::thread([&] {
    Helm::Watch second(helm);
    CHECK_FALSE(second.step());
  }).join();
  CHECK(loop.steps == 1);
  CHECK(loop.rests == 0);
}

TEST_CASE("Helm: once closed, or without anything to steer, a watch steps nothing and does not touch the loop") {
  Helm helm;
  {
    Counting loop;
    Helm other(loop);
    const auto hold = other.hold();
    other.close();
  }
  Helm::Watch watch(helm);
  CHECK_FALSE(watch.step());

  Counting loop;
  Helm closed(loop);
  {
    const auto hold = closed.hold();
    closed.close();
  }
  {
    Helm::Watch late(closed);
    CHECK_FALSE(late.step());
  }
  CHECK(loop.steps == 0);
  CHECK(loop.rests == 0);
}

TEST_CASE("Helm: many waiters and an engine thread step the loop one at a time") {
  Counting loop;  // not atomic: ThreadSanitizer and the checks inside would see two at once
  loop.moves = 1'000'000;
  Helm helm(loop);
  std::atomic<int> stepped{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 500; ++turn) {
        Helm::Watch watch(helm);
        for (int k = 0; k < 3; ++k) stepped += watch.step() ? 1 : 0;
      }
    });
  for (int turn = 0; turn < 500; ++turn) {
    const auto hold = helm.hold();
    loop.wake();
    stepped += loop.step() ? 1 : 0;
    loop.rest();
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(loop.steps == stepped);
  CHECK(loop.steps >= 500);
}

}  // namespace
