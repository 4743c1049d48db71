#pragma once

// Bodies run by every rank of a job: ranks that disagree, and what becomes of them.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/bodies/allreduce.h"

namespace treering::test {

/// The error that a handle ends with; an ok status if it ends well.
inline Status outcome(const Handle& handle) {
  try {
    handle.wait();
    return {};
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
}

inline void next_one_works(Engine& engine, const std::string& name) {
  Elements<float> tensor(10);
  fill(tensor.begin(), 10, ReduceOp::sum, 3, engine.rank());
  engine.allreduce(name, view(tensor.begin(), 10), ReduceOp::sum).wait();
  CHECK(wrong_elements(tensor.begin(), 10, ReduceOp::sum, 3, engine.size()) == 0);
}

/// One way in which the last rank may differ from the others, and the words that the error must then contain.
struct Mismatch {
  std::string name;
  std::function<Handle()> usual;
  std::function<Handle()> strange;
  std::vector<std::string> words;
};

/// Everything happens in `data`, which has room for 64 doubles.
inline std::vector<Mismatch> all_mismatches(Engine& engine, std::int64_t* data) {
  const auto floats = [data](Shape shape) { return view(reinterpret_cast<float*>(data), std::move(shape)); };
  const auto sum = [&engine, floats](const char* name, Shape shape) {
    return [=, &engine] { return engine.allreduce(name, floats(shape), ReduceOp::sum); };
  };
  const auto broadcast = [&engine, floats](const char* name, int root) {
    return [=, &engine] { return engine.broadcast(name, floats({10}), root); };
  };
  return {
      {"count", sum("count", {10}), sum("count", {11}), {"10", "11"}},
      {"shape", sum("shape", {2, 6}), sum("shape", {3, 4}), {"2", "6", "3", "4"}},
      {"type",
       sum("type", {10}),
       [&engine, data] {
         return engine.allreduce("type", view(reinterpret_cast<std::int32_t*>(data), 10), ReduceOp::sum);
       },
       {"f32", "i32"}},
      {"op",
       sum("op", {10}),
       [&engine, floats] { return engine.allreduce("op", floats({10}), ReduceOp::max); },
       {"sum", "max"}},
      {"scale",
       sum("scale", {10}),
       [&engine, floats] { return engine.allreduce("scale", floats({10}), ReduceOp::sum, {.prescale = 0.5}); },
       {"1", "0.5"}},
      {"root", broadcast("root", 0), broadcast("root", 1), {"0", "1"}},
      {"kind", sum("kind", {10}), broadcast("kind", 0), {"allreduce", "broadcast"}},
  };
}

/// The last rank differs from the others in one way; everybody gets an error that names the tensor, that rank and both
/// values; nobody's memory is touched; the next request of the name works.
inline void mismatches(Engine& engine) {
  if (engine.size() == 1) return;
  const bool odd = engine.rank() == engine.size() - 1;
  const std::int64_t untouched = 0x0101010101010101 * (engine.rank() + 1);
  Elements<std::int64_t> memory(64);
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (const Mismatch& one : all_mismatches(engine, memory.begin())) {
      std::fill(memory.begin(), memory.end(), untouched);
      const Status status = outcome(odd ? one.strange() : one.usual());
      CAPTURE(one.name);
      CAPTURE(status.message());
      CHECK(status.code() == StatusCode::mismatch);
      CHECK(status.message().find(one.name) != std::string::npos);
      CHECK(status.message().find(std::to_string(engine.size() - 1)) != std::string::npos);
      for (const std::string& word : one.words) CHECK(status.message().find(word) != std::string::npos);
      CHECK(std::count(memory.begin(), memory.end(), untouched) == 64);
      next_one_works(engine, one.name);
    }
  }
}

/// A late rank takes the error it owes, and FIFO survives: its second request pairs with the others' second.
inline void late_rank_owes(Engine& engine) {
  if (engine.size() < 3) return;
  Elements<float> first(8);
  Elements<float> second(8);
  fill(second.begin(), 8, ReduceOp::sum, 21, engine.rank());
  if (engine.rank() != 2) {
    const std::int64_t count = engine.rank() == 0 ? 4 : 5;
    const Handle wrong = engine.allreduce("owed", view(first.begin(), count), ReduceOp::sum);
    const Handle right = engine.allreduce("owed", view(second.begin(), 8), ReduceOp::sum);
    CHECK(outcome(wrong).code() == StatusCode::mismatch);
    engine.barrier("the others have failed").wait();
    right.wait();
  } else {
    engine.barrier("the others have failed").wait();
    const Handle wrong = engine.allreduce("owed", view(first.begin(), 4), ReduceOp::sum);
    CHECK(outcome(wrong).code() == StatusCode::mismatch);
    engine.allreduce("owed", view(second.begin(), 8), ReduceOp::sum).wait();
  }
  CHECK(wrong_elements(second.begin(), 8, ReduceOp::sum, 21, engine.size()) == 0);
}

/// Misuse that one rank can see alone throws at the call and leaves the engine well.
inline void local_misuse(Engine& engine) {
  Elements<float> tensor(10);
  const auto refused = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code() == StatusCode::invalid_argument;
    }
    return false;
  };
  bool flag = true;
  CHECK(refused([&] { engine.allreduce("bool", view(&flag, 1), ReduceOp::average); }));
  CHECK(refused([&] { engine.allreduce("null", TensorView{nullptr, DataType::f32, {3}}, ReduceOp::sum); }));
  CHECK(refused([&] { engine.allreduce("negative", TensorView{tensor.begin(), DataType::f32, {-3}}, ReduceOp::sum); }));
  CHECK(refused([&] {
    engine.allreduce("overlap", view(static_cast<const float*>(tensor.begin()), 5), view(tensor.begin() + 1, 5),
                     ReduceOp::sum);
  }));
  CHECK(refused([&] {
    engine.allreduce("sizes", view(static_cast<const float*>(tensor.begin()), 2), view(tensor.begin() + 5, 3),
                     ReduceOp::sum);
  }));
  CHECK(refused([&] { engine.broadcast("root", view(tensor.begin(), 5), engine.size()); }));
  CHECK(refused([&] {
    engine.allreduce("huge", TensorView{tensor.begin(), DataType::f32, {1LL << 40, 1LL << 40}}, ReduceOp::sum);
  }));
  CHECK(refused([&] {
    engine.allreduce("odd", TensorView{reinterpret_cast<char*>(tensor.begin()) + 1, DataType::f32, {1}}, ReduceOp::sum);
  }));
  CHECK(refused([&] {
    std::int32_t integer = 1;
    engine.allreduce("integer", view(&integer, 1), ReduceOp::sum, {.prescale = 2});
  }));
  CHECK(refused([&] { engine.allgather("scalar", ConstTensorView(tensor.begin(), DataType::f32, {})); }));
  CHECK(refused([&] { engine.allreduce_bundle({}, ReduceOp::sum); }));
  CHECK(refused([&] {
    engine.allreduce_bundle({{"twice", view(tensor.begin(), 2)}, {"twice", view(tensor.begin() + 2, 2)}},
                            ReduceOp::sum);
  }));
  next_one_works(engine, "after misuse");
}

/// Requests that others never make end with an error when this engine is shut down; nothing hangs. Ends the engine.
inline void shutdown_with_work_pending(Engine& engine) {
  Elements<float> tensor(10);
  Elements<float> lonely(10);
  fill(tensor.begin(), 10, ReduceOp::sum, 3, engine.rank());
  const Handle together = engine.allreduce("together", view(tensor.begin(), 10), ReduceOp::sum);
  const Handle alone =
      engine.allreduce("only rank " + std::to_string(engine.rank()), view(lonely.begin(), 10), ReduceOp::sum);
  engine.barrier("all have asked").wait();
  engine.shutdown();
  CHECK(together.done());
  CHECK(together.status().ok());
  CHECK(wrong_elements(tensor.begin(), 10, ReduceOp::sum, 3, engine.size()) == 0);
  CHECK(alone.done());
  if (engine.size() > 1) {
    const StatusCode code = alone.status().code();
    CHECK((code == StatusCode::shut_down || code == StatusCode::rank_left));
  }
  const Status after = outcome(engine.allreduce("after", view(tensor.begin(), 10), ReduceOp::sum));
  CHECK(after.code() == StatusCode::shut_down);
  engine.shutdown();
}

}  // namespace treering::test
