#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "engine/operation.h"

using namespace treering;
using namespace std::chrono_literals;

TEST_CASE("Operation: every waiter wakes, callbacks run once, in order, after done") {
  for (int round = 0; round < 200; ++round) {
    const auto callbacks = CompletionThread::make();
    const auto operation =
        std::make_shared<Operation>(Task(), callbacks, std::make_shared<Helm>(), round % 2 == 0 ? 0us : 50us);
    std::atomic<int> woken{0};
    std::vector<std::thread> waiters;
    for (int i = 0; i < 3; ++i)
      waiters.emplace_back([&] {
        operation->wait();
        CHECK(operation->status().code() == StatusCode::mismatch);
        ++woken;
      });
    std::atomic<int> calls{0};
    operation->then([&](const Status& status) {
      CHECK(status.code() == StatusCode::mismatch);
      CHECK(operation->done());
      CHECK(calls.fetch_add(1) == 0);
    });
    std::thread completer([&] { operation->complete(Status(StatusCode::mismatch, "no")); });
    operation->wait();
    operation->then([&](const Status&) { CHECK(calls.fetch_add(1) == 1); });
    for (std::thread& waiter : waiters) waiter.join();
    completer.join();
    while (calls < 2) std::this_thread::yield();
    CHECK(woken == 3);
  }
}

TEST_CASE("Operation: callbacks given before the end are in line when wait returns") {
  const auto callbacks = CompletionThread::make();
  for (int round = 0; round < 500; ++round) {
    const auto operation =
        std::make_shared<Operation>(Task(), callbacks, std::make_shared<Helm>(), round % 2 == 0 ? 0us : 50us);
    std::atomic<bool> called{false};
    std::atomic<int> later{0};
    operation->then([&](const Status&) {
      CHECK(operation->done());
      called = true;
    });
    std::thread completer([&] { operation->complete(Status()); });
    operation->wait();
    callbacks->post([&] { later = called ? 1 : 2; });
    while (later == 0) std::this_thread::yield();
    CHECK(later == 1);
    completer.join();
  }
}

TEST_CASE("Operation: wait_for says whether it is done, and never throws") {
  Operation operation(Task(), CompletionThread::make(), std::make_shared<Helm>(), 50us);
  CHECK_FALSE(operation.wait_for(1ms));
  operation.complete(Status(StatusCode::internal, "x"));
  CHECK(operation.wait_for(0ns));
}

TEST_CASE("CompletionThread: callbacks posted before its end all run; the last owner may die inside one") {
  std::atomic<int> ran{0};
  {
    const auto callbacks = CompletionThread::make();
    for (int i = 0; i < 100; ++i) callbacks->post([&] { ++ran; });
  }
  CHECK(ran == 100);

  auto callbacks = CompletionThread::make();
  std::atomic<bool> released{false};
  std::atomic<bool> done{false};
  callbacks->post([owner = callbacks, &released, &done]() mutable {
    while (!released) std::this_thread::yield();
    CHECK(owner->is_current());
    owner.reset();
    done = true;
  });
  callbacks.reset();
  released = true;
  while (!done) std::this_thread::yield();
}
