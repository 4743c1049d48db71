#pragma once

// Bodies run by every rank of a job, over any fabric: allreduce in all types and shapes.

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/bodies/values.h"
#include "treering/treering.h"

namespace treering::test {

/// Elements without std::vector<bool>'s surprises.
template <class T>
struct Elements {
  explicit Elements(std::size_t count) : memory(std::make_unique<T[]>(count)), size(count) {}
  T* begin() const { return memory.get(); }
  T* end() const { return memory.get() + size; }
  T& operator[](std::size_t i) const { return memory[i]; }
  std::unique_ptr<T[]> memory;
  std::size_t size;
};

template <class T>
void fill(T* data, std::size_t count, ReduceOp op, std::uint64_t seed, int rank) {
  for (std::size_t i = 0; i < count; ++i) data[i] = value_of<T>(op, seed, rank, i);
}

/// Number of wrong elements; reports the first.
template <class T>
std::size_t wrong_elements(const T* data, std::size_t count, ReduceOp op, std::uint64_t seed, int size) {
  std::size_t wrong = 0;
  std::vector<T> operands(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < count; ++i) {
    for (int r = 0; r < size; ++r) operands[static_cast<std::size_t>(r)] = value_of<T>(op, seed, r, i);
    const T want = expected<T>(op, operands);
    if (matches(op, data[i], want, size)) continue;
    if (wrong++ == 0) {
      const std::string where = std::string(name_of(DataTypeOf<T>::value)) + " " + name_of(op) + " element " +
                                std::to_string(i) + " of " + std::to_string(count) + ": got " +
                                std::to_string(to_double(data[i])) + ", want " + std::to_string(to_double(want));
      MESSAGE(where);
    }
  }
  return wrong;
}

/// vector<bool> has no addressable elements; compare bools through bytes there.
template <>
inline std::size_t wrong_elements<bool>(const bool* data, std::size_t count, ReduceOp op, std::uint64_t seed,
                                        int size) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bool any = false;
    bool all = true;
    for (int r = 0; r < size; ++r) {
      const bool operand = value_of<bool>(op, seed, r, i);
      any |= operand;
      all &= operand;
    }
    const bool want = op == ReduceOp::sum || op == ReduceOp::max ? any : all;
    std::uint8_t got = 2;
    std::memcpy(&got, data + i, 1);
    wrong += got != static_cast<std::uint8_t>(want) ? 1U : 0U;
  }
  return wrong;
}

/// Several tensors of one type in flight at once: tiny, odd, fused, one larger than the slots.
template <class T>
void check_type(Engine& engine, ReduceOp op, bool in_place, const std::vector<std::size_t>& counts,
                std::uint64_t seed) {
  std::vector<Elements<T>> inputs;
  std::vector<Elements<T>> outputs;
  std::vector<Handle> handles;
  const int rank = engine.rank();
  for (std::size_t t = 0; t < counts.size(); ++t) {
    inputs.emplace_back(counts[t]);
    fill(inputs.back().begin(), counts[t], op, seed + t, rank);
    outputs.emplace_back(in_place ? 0 : counts[t]);
  }
  for (std::size_t t = 0; t < counts.size(); ++t) {
    const std::string name = std::string(name_of(DataTypeOf<T>::value)) + "/" + name_of(op) + "/" + std::to_string(t) +
                             (in_place ? "/in" : "/out");
    const auto count = static_cast<std::int64_t>(counts[t]);
    handles.push_back(in_place ? engine.allreduce(name, view(inputs[t].begin(), count), op)
                               : engine.allreduce(name, view(static_cast<const T*>(inputs[t].begin()), count),
                                                  view(outputs[t].begin(), count), op));
  }
  for (std::size_t t = 0; t < counts.size(); ++t) {
    handles[t].wait();
    const T* const result = in_place ? inputs[t].begin() : outputs[t].begin();
    CHECK(wrong_elements(result, counts[t], op, seed + t, engine.size()) == 0);
    if (in_place) continue;
    std::size_t touched = 0;
    for (std::size_t i = 0; i < counts[t]; ++i) {
      const T want = value_of<T>(op, seed + t, rank, i);
      touched += std::memcmp(&inputs[t][i], &want, sizeof(T)) != 0 ? 1U : 0U;
    }
    CHECK(touched == 0);
  }
}

template <class T>
void check_type_with_all_ops(Engine& engine, const std::vector<std::size_t>& counts) {
  for (int op = 0; op < reduce_op_count; ++op) {
    if (std::is_same_v<T, bool> && static_cast<ReduceOp>(op) == ReduceOp::average) continue;
    for (const bool in_place : {true, false})
      check_type<T>(engine, static_cast<ReduceOp>(op), in_place, counts,
                    1000 * static_cast<std::uint64_t>(op) + (in_place ? 7U : 0U));
  }
}

/// dtype x op x {in place, out of place} x {alone, fused, larger than the slots}.
inline void allreduce_matrix(Engine& engine, std::size_t large_count) {
  for (const std::vector<std::size_t>& counts :
       {std::vector<std::size_t>{1}, {1023}, {1, 0, 3, 17, 64, 1000, 333}, {large_count + 5, 9}}) {
    check_type_with_all_ops<std::uint8_t>(engine, counts);
    check_type_with_all_ops<std::int8_t>(engine, counts);
    check_type_with_all_ops<std::int32_t>(engine, counts);
    check_type_with_all_ops<std::int64_t>(engine, counts);
    check_type_with_all_ops<Float16>(engine, counts);
    check_type_with_all_ops<BFloat16>(engine, counts);
    check_type_with_all_ops<float>(engine, counts);
    check_type_with_all_ops<double>(engine, counts);
    check_type_with_all_ops<bool>(engine, counts);
  }
}

/// Memory from `allocate` is reduced in place by its neighbours, and a handle that is done leaves it alone for good.
inline void allreduce_in_engine_memory(Engine& engine, std::size_t count) {
  Buffer<float> grad = engine.allocate<float>(count);
  Buffer<float> small = engine.allocate<float>(33);
  for (const float value : grad) REQUIRE(value == 0);
  for (std::uint64_t step = 0; step < 20; ++step) {
    fill(grad.data(), count, ReduceOp::sum, step, engine.rank());
    fill(small.data(), 33, ReduceOp::max, step + 100, engine.rank());
    const Handle a = engine.allreduce("grad", view(grad), ReduceOp::sum);
    const Handle b = engine.allreduce("small", view(small), ReduceOp::max);
    a.wait();
    const std::size_t wrong = wrong_elements(grad.data(), count, ReduceOp::sum, step, engine.size());
    std::fill(grad.begin(), grad.end(),
              -1000.0F * static_cast<float>(engine.rank()));  // at once, while others may be late
    b.wait();
    CHECK(wrong == 0);
    CHECK(wrong_elements(small.data(), 33, ReduceOp::max, step + 100, engine.size()) == 0);
    std::size_t touched = 0;
    for (const float value : grad) touched += value != -1000.0F * static_cast<float>(engine.rank()) ? 1U : 0U;
    CHECK(touched == 0);
  }
}

/// As soon as a handle is done its memory is the caller's: whatever is written there stays, and the others' results are
/// right, in ordinary memory, in place and out of place, small and large.
inline void scribble_at_once(Engine& engine, std::size_t large_count) {
  for (const std::size_t count : {std::size_t{33}, std::size_t{5000}, large_count}) {
    Elements<float> in_place(count);
    Elements<float> input(count);
    Elements<float> output(count);
    const auto length = static_cast<std::int64_t>(count);
    const float mark = -7.0F * static_cast<float>(engine.rank() + 1);
    std::size_t wrong = 0;
    std::size_t touched = 0;
    for (std::uint64_t step = 0; step < 10; ++step) {
      fill(in_place.begin(), count, ReduceOp::sum, step, engine.rank());
      fill(input.begin(), count, ReduceOp::sum, step + 50, engine.rank());
      const std::string name = "scribble " + std::to_string(count);
      const Handle a = engine.allreduce(name + " in", view(in_place.begin(), length), ReduceOp::sum);
      const Handle b = engine.allreduce(name + " out", view(static_cast<const float*>(input.begin()), length),
                                        view(output.begin(), length), ReduceOp::sum);
      a.wait();
      wrong += wrong_elements(in_place.begin(), count, ReduceOp::sum, step, engine.size());
      std::fill(in_place.begin(), in_place.end(), mark);
      b.wait();
      std::fill(input.begin(), input.end(), mark);
      wrong += wrong_elements(output.begin(), count, ReduceOp::sum, step + 50, engine.size());
      std::fill(output.begin(), output.end(), mark);
      engine.barrier("scribbled").wait();
      for (const Elements<float>* memory : {&in_place, &input, &output})
        touched +=
            static_cast<std::size_t>(std::count_if(memory->begin(), memory->end(), [&](float x) { return x != mark; }));
    }
    CHECK(wrong == 0);
    CHECK(touched == 0);
  }
}

/// Empty tensors in all positions among others, alone and all together.
inline void empty_tensors(Engine& engine) {
  for (const std::vector<std::size_t>& counts :
       {std::vector<std::size_t>{0}, {0, 5}, {5, 0}, {0, 0, 7, 0, 0, 3000, 0}, {0, 0, 0}}) {
    check_type<float>(engine, ReduceOp::sum, true, counts, 40 + counts.size());
    check_type<std::uint8_t>(engine, ReduceOp::max, false, counts, 60 + counts.size());
  }
}

}  // namespace treering::test
