#include <doctest/doctest.h>

#include <memory>
#include <thread>

#include "base/mpsc_queue.h"

using namespace treering;

namespace {

struct Item {
  int producer = 0;
  int number = 0;
};

}  // namespace

TEST_CASE("mpsc_queue: oldest first, whole batches, the flag follows") {
  MpscQueue<int> queue;
  std::vector<int> batch{99};
  CHECK_FALSE(queue.maybe_filled());
  queue.take(batch);
  CHECK(batch.empty());
  using Pushed = MpscQueue<int>::Pushed;
  CHECK(queue.push(1) == Pushed::first);
  CHECK(queue.push(2) == Pushed::behind);
  CHECK(queue.push(3) == Pushed::behind);
  CHECK(queue.maybe_filled());
  queue.take(batch);
  CHECK(batch == std::vector{1, 2, 3});
  CHECK_FALSE(queue.maybe_filled());
  CHECK(queue.push(4) == Pushed::first);
}

TEST_CASE("mpsc_queue: a closed queue refuses and leaves the value with the caller") {
  MpscQueue<std::unique_ptr<int>> queue;
  using Pushed = MpscQueue<std::unique_ptr<int>>::Pushed;
  CHECK(queue.push(std::make_unique<int>(1)) == Pushed::first);
  queue.close();
  auto late = std::make_unique<int>(2);
  CHECK(queue.push(std::move(late)) == Pushed::refused);
  CHECK(late != nullptr);
  std::vector<std::unique_ptr<int>> batch;
  queue.take(batch);
  REQUIRE(batch.size() == 1);
  CHECK(*batch[0] == 1);
}

TEST_CASE("mpsc_queue: many producers, nothing lost, each producer's order kept") {
  constexpr int producers = 4;
  constexpr int numbers = 20'000;
  MpscQueue<Item> queue;
  std::vector<std::thread> threads;
  for (int producer = 0; producer < producers; ++producer)
    threads.emplace_back([&queue, producer] {
      for (int number = 0; number < numbers; ++number) queue.push(Item{producer, number});
    });

  std::vector<int> next(producers, 0);
  std::vector<Item> batch;
  int taken = 0;
  bool in_order = true;
  while (taken < producers * numbers) {
    if (!queue.maybe_filled()) {
      std::this_thread::yield();
      continue;
    }
    queue.take(batch);
    taken += static_cast<int>(batch.size());
    for (const Item& item : batch) in_order &= item.number == next[static_cast<std::size_t>(item.producer)]++;
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(in_order);
  queue.take(batch);
  CHECK(batch.empty());
}
