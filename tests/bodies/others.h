#pragma once

// Bodies run by every rank of a job: broadcast, allgather, barrier, callbacks, scaling, special values.

#include <doctest/doctest.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tests/bodies/allreduce.h"

namespace treering::test {

inline void broadcasts(Engine& engine, std::size_t large_count) {
  for (int root = 0; root < engine.size(); ++root) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{777}, large_count}) {
      Elements<std::int32_t> tensor(count);
      const auto seed = static_cast<std::uint64_t>(root) * 10 + count;
      fill(tensor.begin(), count, ReduceOp::sum, seed, engine.rank());
      engine
          .broadcast("from " + std::to_string(root) + "/" + std::to_string(count),
                     view(tensor.begin(), static_cast<std::int64_t>(count)), root)
          .wait();
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < count; ++i)
        wrong += tensor[i] != value_of<std::int32_t>(ReduceOp::sum, seed, root, i) ? 1U : 0U;
      CHECK(wrong == 0);
    }
  }
}

/// Rank r brings rows(r) rows of `width` values of a type whose size divides no slot evenly.
template <class Rows>
void check_gather(Engine& engine, const std::string& name, std::int64_t width, Rows rows) {
  const std::int64_t mine = rows(engine.rank());
  Elements<std::uint8_t> tensor(static_cast<std::size_t>(mine * width));
  fill(tensor.begin(), tensor.size, ReduceOp::sum, 9, engine.rank());
  const Gathered all =
      engine.allgather(name, view(static_cast<const std::uint8_t*>(tensor.begin()), Shape{mine, width})).result();
  std::size_t wrong = 0;
  std::size_t position = 0;
  std::int64_t total = 0;
  REQUIRE(all.rows().size() == static_cast<std::size_t>(engine.size()));
  for (int r = 0; r < engine.size(); ++r) {
    total += rows(r);
    CHECK(all.rows()[static_cast<std::size_t>(r)] == rows(r));
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows(r) * width); ++i)
      wrong += all.data_as<std::uint8_t>()[position++] != value_of<std::uint8_t>(ReduceOp::sum, 9, r, i) ? 1U : 0U;
  }
  CHECK(wrong == 0);
  CHECK(all.shape() == Shape{total, width});
}

inline void allgathers(Engine& engine, std::int64_t large_rows) {
  for (int step = 0; step < 3; ++step) {
    check_gather(engine, "one row each", 3, [](int) { return 1; });
    check_gather(engine, "rank rows", 5, [](int rank) { return rank; });
    check_gather(engine, "nothing", 4, [](int) { return 0; });
    check_gather(engine, "only the last", 7, [&](int rank) { return rank == engine.size() - 1 ? 11 : 0; });
    check_gather(engine, "large", 13, [&](int rank) { return large_rows + rank * 3; });
  }
  const Elements<float> mine(6);
  fill(mine.begin(), 6, ReduceOp::sum, 4, engine.rank());
  const Gathered all = engine.allgather("floats", view(mine.begin(), Shape{2, 3})).result();
  CHECK(all.type() == DataType::f32);
  CHECK_THROWS_AS(all.data_as<double>(), Error);
}

/// Gathers between allreduces must not change the order in which ranks execute.
inline void gathers_between_reductions(Engine& engine) {
  for (int step = 0; step < 10; ++step) {
    Elements<float> before(2000);
    Elements<float> after(50);
    fill(before.begin(), 2000, ReduceOp::sum, 1, engine.rank());
    fill(after.begin(), 50, ReduceOp::sum, 2, engine.rank());
    const Handle a = engine.allreduce("before", view(before.begin(), 2000), ReduceOp::sum);
    check_gather(engine, "between", 2, [&](int rank) { return (rank + step) % 3; });
    const Handle b = engine.allreduce("after", view(after.begin(), 50), ReduceOp::sum);
    a.wait();
    b.wait();
    CHECK(wrong_elements(before.begin(), 2000, ReduceOp::sum, 1, engine.size()) == 0);
    CHECK(wrong_elements(after.begin(), 50, ReduceOp::sum, 2, engine.size()) == 0);
  }
}

/// Nobody passes a barrier before everybody has come: each rank counts arrivals through an allgather afterwards.
inline void barriers(Engine& engine) {
  for (int step = 0; step < 20; ++step) {
    const Handle barrier = engine.barrier();
    barrier.wait();
    CHECK(barrier.done());
  }
}

inline void callbacks(Engine& engine) {
  constexpr int count = 50;
  std::atomic<int> called{0};
  std::vector<int> order;  // touched by the completion thread only, read after the last callback
  std::vector<Handle> handles;
  handles.reserve(count);  // callbacks read it while it grows
  Elements<float> tensors(count);
  for (int i = 0; i < count; ++i) {
    tensors[static_cast<std::size_t>(i)] = 1;
    handles.push_back(engine.allreduce("one " + std::to_string(i), view(tensors.begin() + i, 1), ReduceOp::sum));
    handles.back().then([&, i](const Status& status) {
      CHECK(status.ok());
      CHECK(handles[static_cast<std::size_t>(i)].done());
      order.push_back(i);
      if (i == 3) throw std::runtime_error("a callback may throw; this one is a test");
      called.fetch_add(1);
    });
  }
  for (const Handle& handle : handles) handle.wait();
  std::atomic<bool> refused{false};
  std::atomic<bool> last{false};
  handles.front().then([&](const Status&) {
    try {
      engine.shutdown();
    } catch (const Error& error) {
      refused = error.code() == StatusCode::invalid_argument;
    }
    last = true;
  });
  while (!last) std::this_thread::yield();
  CHECK(refused);
  CHECK(called == count - 1);
  CHECK(order.size() == count);
}

inline void scaling(Engine& engine) {
  Elements<float> sum(100);
  Elements<double> product(3);
  fill(sum.begin(), 100, ReduceOp::sum, 1, engine.rank());
  for (double& value : product) value = 2;
  const Handle a =
      engine.allreduce("scaled sum", view(sum.begin(), 100), ReduceOp::sum, {.prescale = 0.5, .postscale = 4});
  const Handle b = engine.allreduce("scaled product", view(product.begin(), 3), ReduceOp::product,
                                    {.prescale = 0.5, .postscale = 8});
  a.wait();
  b.wait();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    float want = 0;
    for (int r = 0; r < engine.size(); ++r) want += value_of<float>(ReduceOp::sum, 1, r, i);
    wrong += sum[i] != 2 * want ? 1U : 0U;
  }
  CHECK(wrong == 0);
  for (const double value : product) CHECK(value == 8);
}

/// NaN wins everywhere and is canonical; zeros keep their sign rules; whatever the rank that brings them.
inline void special_values(Engine& engine) {
  const float nan = std::bit_cast<float>(0xffc12345U);
  for (const ReduceOp op : {ReduceOp::min, ReduceOp::max, ReduceOp::sum, ReduceOp::product}) {
    for (int who = 0; who < engine.size(); ++who) {
      Elements<float> tensor(3);
      tensor[0] = engine.rank() == who ? nan : 1.0F;
      tensor[1] = engine.rank() == who ? -0.0F : 0.0F;
      tensor[2] = engine.rank() == who ? std::numeric_limits<float>::infinity() : 1.0F;
      engine.allreduce("special", view(tensor.begin(), 3), op).wait();
      if (engine.size() == 1) continue;
      CHECK(std::bit_cast<std::uint32_t>(tensor[0]) == 0x7fc00000U);
      if (op == ReduceOp::min) CHECK(std::signbit(tensor[1]));
      if (op == ReduceOp::max) CHECK(!std::signbit(tensor[1]));
      CHECK(tensor[1] == 0);
      if (op != ReduceOp::min) CHECK(std::isinf(tensor[2]));
    }
  }
}

}  // namespace treering::test
