#pragma once

// Bodies run by every rank of a job: many tensors, in any order, from many threads.

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "tests/bodies/allreduce.h"

namespace treering::test {

/// One tensor of a random type and size, which may be empty.
class AnyTensor {
 public:
  AnyTensor(std::uint64_t seed, std::size_t most) : seed_(seed) {
    const std::size_t count = mix(seed) % 8 == 0 ? mix(seed, 1, 1) % most : mix(seed, 1, 2) % 400;
    switch (mix(seed, 2, 0) % 6) {
      case 0: elements_.emplace<Elements<float>>(count); break;
      case 1: elements_.emplace<Elements<double>>(count); break;
      case 2: elements_.emplace<Elements<std::int32_t>>(count); break;
      case 3: elements_.emplace<Elements<BFloat16>>(count); break;
      case 4: elements_.emplace<Elements<std::uint8_t>>(count); break;
      default: elements_.emplace<Elements<std::int64_t>>(count); break;
    }
    op_ = mix(seed, 3, 0) % 2 == 0 ? ReduceOp::sum : ReduceOp::max;
  }
  void fill_for(std::uint64_t step, int rank) {
    std::visit([&](auto& e) { fill(e.begin(), e.size, op_, seed_ + 1000 * step, rank); }, elements_);
  }
  Handle start(Engine& engine, const std::string& name) {
    return std::visit(
        [&](auto& e) { return engine.allreduce(name, view(e.begin(), static_cast<std::int64_t>(e.size)), op_); },
        elements_);
  }
  std::size_t wrong(std::uint64_t step, int size) const {
    return std::visit([&](auto& e) { return wrong_elements(e.begin(), e.size, op_, seed_ + 1000 * step, size); },
                      elements_);
  }

 private:
  std::uint64_t seed_;
  ReduceOp op_ = ReduceOp::sum;
  std::variant<Elements<float>, Elements<double>, Elements<std::int32_t>, Elements<BFloat16>, Elements<std::uint8_t>,
               Elements<std::int64_t>>
      elements_{Elements<float>(0)};
};

/// `tensors` tensors of random sizes and types; each rank hands them over in an order of its own, each step.
inline void shuffled_arrival(Engine& engine, std::size_t tensors, std::uint64_t steps, std::size_t most) {
  std::vector<AnyTensor> all;
  for (std::size_t t = 0; t < tensors; ++t) all.emplace_back(77 + t, most);
  std::vector<std::size_t> order(tensors);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(static_cast<std::uint64_t>(engine.rank()) + 5);
  std::vector<Handle> handles(tensors);
  std::size_t wrong = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    std::ranges::shuffle(order, random);
    for (const std::size_t t : order) {
      all[t].fill_for(step, engine.rank());
      handles[t] = all[t].start(engine, "shuffled " + std::to_string(t));
    }
    for (const Handle& handle : handles) handle.wait();
    for (const AnyTensor& tensor : all) wrong += tensor.wrong(step, engine.size());
  }
  CHECK(wrong == 0);
}

/// The k-th request of a name on one rank pairs with every other's k-th, however many are in flight.
inline void same_name_in_flight(Engine& engine) {
  constexpr std::size_t copies = 12;
  std::vector<Elements<float>> tensors;
  std::vector<Handle> handles;
  for (std::size_t k = 0; k < copies; ++k) {
    tensors.emplace_back(100);
    fill(tensors[k].begin(), 100, ReduceOp::sum, 500 + k, engine.rank());
    handles.push_back(engine.allreduce("again", view(tensors[k].begin(), 100), ReduceOp::sum));
  }
  for (std::size_t k = 0; k < copies; ++k) {
    handles[k].wait();
    CHECK(wrong_elements(tensors[k].begin(), 100, ReduceOp::sum, 500 + k, engine.size()) == 0);
  }
}

/// A bundle is reduced only when its last tensor is ready everywhere.
inline void bundles(Engine& engine) {
  for (std::uint64_t step = 0; step < 5; ++step) {
    Elements<float> a(1000);
    Elements<std::int32_t> b(7);
    Elements<float> c(100'000);
    fill(a.begin(), 1000, ReduceOp::sum, step, engine.rank());
    fill(b.begin(), 7, ReduceOp::sum, step + 1, engine.rank());
    fill(c.begin(), 100'000, ReduceOp::sum, step + 2, engine.rank());
    engine
        .allreduce_bundle({{"a", view(a.begin(), 1000)}, {"b", view(b.begin(), 7)}, {"c", view(c.begin(), 100'000)}},
                          ReduceOp::sum)
        .wait();
    CHECK(wrong_elements(a.begin(), 1000, ReduceOp::sum, step, engine.size()) == 0);
    CHECK(wrong_elements(b.begin(), 7, ReduceOp::sum, step + 1, engine.size()) == 0);
    CHECK(wrong_elements(c.begin(), 100'000, ReduceOp::sum, step + 2, engine.size()) == 0);
  }
}

inline void many_threads(Engine& engine, int threads, int per_thread) {
  std::vector<std::size_t> wrong(static_cast<std::size_t>(threads));
  std::vector<std::thread> users;
  for (int t = 0; t < threads; ++t) {
    users.emplace_back([&, t] {
      for (int i = 0; i < per_thread; ++i) {
        const auto seed = static_cast<std::uint64_t>(t * 1000 + i);
        Elements<double> tensor(static_cast<std::size_t>(1 + (i * 37) % 500));
        fill(tensor.begin(), tensor.size, ReduceOp::sum, seed, engine.rank());
        engine
            .allreduce("thread " + std::to_string(t), view(tensor.begin(), static_cast<std::int64_t>(tensor.size)),
                       ReduceOp::sum)
            .wait();
        wrong[static_cast<std::size_t>(t)] +=
            wrong_elements(tensor.begin(), tensor.size, ReduceOp::sum, seed, engine.size());
      }
    });
  }
  for (std::thread& user : users) user.join();
  for (const std::size_t count : wrong) CHECK(count == 0);
}

}  // namespace treering::test
