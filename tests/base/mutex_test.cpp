#include <doctest/doctest.h>

#include <thread>

#include "base/mutex.h"

using namespace treering;

namespace {

struct Baton {
  Mutex mutex;
  Condition moved;
  int turn TREERING_GUARDED_BY(mutex) = 0;
};

}  // namespace

TEST_CASE("mutex: waiters are woken by the state they wait for") {
  Baton baton;
  std::thread other([&] {
    for (int round = 0; round < 100; ++round) {
      MutexLock lock(baton.mutex);
      while (baton.turn % 2 == 0) baton.moved.wait(baton.mutex);
      ++baton.turn;
      baton.moved.notify_all();
    }
  });
  for (int round = 0; round < 100; ++round) {
    MutexLock lock(baton.mutex);
    while (baton.turn % 2 == 1) baton.moved.wait(baton.mutex);
    ++baton.turn;
    baton.moved.notify_one();
  }
  other.join();
  MutexLock lock(baton.mutex);
  CHECK(baton.turn == 200);
}

TEST_CASE("mutex: wait_until ends at its time with the lock held") {
  Baton baton;
  MutexLock lock(baton.mutex);
  const auto when = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
  while (baton.moved.wait_until(baton.mutex, when)) continue;
  CHECK(std::chrono::steady_clock::now() >= when);
  bool free = false;
  std::thread([&] {
    if (!baton.mutex.try_lock()) return;
    free = true;
    baton.mutex.unlock();
  }).join();
  CHECK_FALSE(free);
}
