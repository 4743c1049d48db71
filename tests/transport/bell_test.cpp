#include "transport/bell.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "transport/sleep.h"

using namespace treering;
using namespace treering::transport;

namespace {

constexpr Nanoseconds guard = 60'000'000'000;

bool ready(const Bell& bell, Nanoseconds limit) {
  pollfd descriptor{bell.eventfd(), POLLIN, 0};
  return poll_for({&descriptor, 1}, limit);
}

}  // namespace

TEST_CASE("a ring costs no system call while nobody sleeps") {
  BellWord word;
  const UniqueFd descriptor = make_bell_descriptor();
  const Bell bell(&word, descriptor.get());
  bell.ring();
  CHECK(bell.rings() == 1);
  CHECK_FALSE(ready(bell, 0));
}

TEST_CASE("a ring for a sleeper stays until it wakes, and not longer") {
  BellWord word;
  const UniqueFd descriptor = make_bell_descriptor();
  const Bell bell(&word, descriptor.get());
  bell.declare_asleep();
  bell.ring();
  bell.ring();
  CHECK(bell.rings() == 2);
  CHECK(ready(bell, guard));
  bell.declare_awake();
  CHECK_FALSE(ready(bell, 0));
}

TEST_CASE("every one of the ways in which ringer and sleeper can interleave ends with the sleeper awake") {
  // Ringer: R0 publish and increment, R1 look at the flag and write. Sleeper: S0 read the count, S1 scan, S2 declare
  // asleep, S3 compare the count. The ring is noticed if S1 or S3 sees it, or the eventfd is ready afterwards.
  for (int publish_before = 0; publish_before <= 4; ++publish_before)
    for (int write_before = publish_before; write_before <= 4; ++write_before) {
      std::uint64_t rings = 0;
      bool asleep = false;
      bool eventfd = false;
      bool scanned = false;
      bool compared = false;
      std::uint64_t seen = 0;
      for (int step = 0; step <= 4; ++step) {
        if (step == publish_before) ++rings;
        if (step == write_before) eventfd = asleep;
        if (step == 0) seen = rings;
        if (step == 1) scanned = rings != 0;
        if (step == 2) asleep = true;
        if (step == 3) compared = rings != seen;
      }
      CHECK((scanned || compared || eventfd));
    }
}

TEST_CASE("rings from many threads are never lost") {
  constexpr int ringers = 3;
  constexpr std::uint64_t each = 20'000;
  BellWord word;
  const UniqueFd descriptor = make_bell_descriptor();
  const Bell bell(&word, descriptor.get());
  std::atomic<std::uint64_t> published{0};
  std::atomic<std::uint64_t> consumed{0};
  std::vector<std::jthread> threads;
  for (int ringer = 0; ringer < ringers; ++ringer)
    threads.emplace_back([&] {
      for (std::uint64_t turn = 0; turn < each; ++turn) {
        const std::uint64_t mine = published.fetch_add(1) + 1;
        bell.ring();
        // Every so often wait until the sleeper has caught up, so that it really sleeps between rings.
        if (turn % 8 == 0)
          while (consumed.load() < mine) std::this_thread::yield();
      }
    });
  bool lost = false;
  while (consumed.load() < ringers * each && !lost) {
    const std::uint64_t seen = bell.rings();
    if (consumed.exchange(published.load()) != published.load()) continue;
    bell.declare_asleep();
    if (bell.rings() == seen && consumed.load() == published.load()) lost = !ready(bell, guard);
    bell.declare_awake();
  }
  CHECK_FALSE(lost);
  consumed.store(ringers * each);
}

TEST_CASE("poll_for keeps to its limit although signals arrive") {
  const UniqueFd descriptor = make_bell_descriptor();
  pollfd entry{descriptor.get(), POLLIN, 0};
  const RealClock clock;
  const Nanoseconds before = clock.now();
  CHECK_FALSE(poll_for({&entry, 1}, 2'000'000));
  CHECK(clock.now() - before >= 2'000'000);
}
