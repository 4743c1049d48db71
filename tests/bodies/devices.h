#pragma once

// Bodies run by every rank of a job whose ranks drive several devices each.

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/bodies/allreduce.h"
#include "treering/treering.h"

namespace treering::test {

/// Number of this rank's first member.
inline int first_member(Engine& engine) {
  const std::int64_t own = engine.devices();
  const Gathered all = engine.allgather("devices", view(&own, 1)).result();
  std::int64_t first = 0, sum = 0;
  for (int rank = 0; rank < engine.size(); ++rank) {
    if (rank == engine.rank()) first = sum;
    sum += all.data_as<std::int64_t>()[rank];
  }
  CHECK(sum == engine.members());
  return static_cast<int>(first);
}

/// One tensor per device: what goes in, and where the result is wanted.
template <class T>
struct DeviceTensors {
  std::vector<Buffer<T>> inputs, outputs;
  std::vector<ConstTensorView> in;
  std::vector<TensorView> out;
};

/// In memory from `allocate`, or in ordinary memory. In place without `outputs`.
template <class T>
DeviceTensors<T> device_tensors(Engine& engine, std::size_t count, bool in_place) {
  DeviceTensors<T> tensors;
  for (int device = 0; device < engine.devices(); ++device) {
    tensors.inputs.push_back(engine.allocate<T>(count));
    if (!in_place) tensors.outputs.push_back(engine.allocate<T>(count));
  }
  for (std::size_t device = 0; device < tensors.inputs.size(); ++device) {
    tensors.in.push_back(view(static_cast<const T*>(tensors.inputs[device].data()), static_cast<std::int64_t>(count)));
    tensors.out.push_back(view(in_place ? tensors.inputs[device] : tensors.outputs[device]));
  }
  return tensors;
}

/// Several tensors in flight at once: tiny, odd, fused, larger than the slots.
template <class T>
void device_allreduces(Engine& engine, ReduceOp op, bool in_place, std::uint64_t seed) {
  const int first = first_member(engine);
  const std::vector<std::size_t> counts{1, 0, 33, 1023, 20'011, 100'003};
  std::vector<DeviceTensors<T>> tensors;
  std::vector<Handle> handles;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    tensors.push_back(device_tensors<T>(engine, counts[t], in_place));
    for (int device = 0; device < engine.devices(); ++device)
      fill(tensors.back().inputs[static_cast<std::size_t>(device)].data(), counts[t], op, seed + t, first + device);
  }
  for (std::size_t t = 0; t < counts.size(); ++t) {
    const std::string name = std::string("devices/") + name_of(op) + "/" + std::to_string(t);
    handles.push_back(in_place ? engine.allreduce(name, tensors[t].out, op)
                               : engine.allreduce(name, tensors[t].in, tensors[t].out, op));
  }
  for (std::size_t t = 0; t < counts.size(); ++t) {
    handles[t].wait();
    for (std::size_t device = 0; device < tensors[t].in.size(); ++device) {
      const T* const result = static_cast<const T*>(tensors[t].out[device].data);
      CHECK(wrong_elements(result, counts[t], op, seed + t, engine.members()) == 0);
      if (in_place) continue;
      std::size_t touched = 0;
      for (std::size_t i = 0; i < counts[t]; ++i) {
        const T want = value_of<T>(op, seed + t, first + static_cast<int>(device), i);
        touched += std::memcmp(&tensors[t].inputs[device][i], &want, sizeof(T)) != 0 ? 1U : 0U;
      }
      CHECK(touched == 0);
    }
  }
}

/// Ordinary memory, so that nothing is mapped; inexact sums, whose bits must be equal on all devices of all ranks.
inline void device_bits(Engine& engine, std::size_t count) {
  const int first = first_member(engine);
  std::vector<std::vector<float>> tensors(static_cast<std::size_t>(engine.devices()), std::vector<float>(count));
  std::vector<TensorView> views;
  for (std::size_t device = 0; device < tensors.size(); ++device) {
    for (std::size_t i = 0; i < count; ++i)
      tensors[device][i] = 1.0F / static_cast<float>(1 + mix(3, static_cast<std::uint64_t>(first) + device, i) % 1000);
    views.push_back(view(tensors[device]));
  }
  engine.allreduce("device bits", views, ReduceOp::average).wait();
  for (const std::vector<float>& tensor : tensors) CHECK(tensor == tensors.front());
  std::vector<std::uint32_t> bits(count);
  std::memcpy(bits.data(), tensors.front().data(), count * sizeof(float));
  std::vector<std::int64_t> own(bits.begin(), bits.end());
  const Gathered all = engine.allgather("device bits of all", view(own)).result();
  std::size_t different = 0;
  for (std::size_t i = 0; i < own.size() * static_cast<std::size_t>(engine.size()); ++i)
    different += all.data_as<std::int64_t>()[i] != own[i % own.size()] ? 1U : 0U;
  CHECK(different == 0);
}

inline void device_broadcasts(Engine& engine, std::size_t count) {
  for (int root = 0; root < engine.size(); ++root) {
    std::vector<std::vector<std::int32_t>> tensors(static_cast<std::size_t>(engine.devices()));
    std::vector<TensorView> views;
    for (std::size_t device = 0; device < tensors.size(); ++device) {
      tensors[device].resize(count);
      for (std::size_t i = 0; i < count; ++i)
        tensors[device][i] = static_cast<std::int32_t>(i * 31) + engine.rank() * 1000 + static_cast<int>(device);
      views.push_back(view(tensors[device]));
    }
    engine.broadcast("device broadcast", views, root).wait();
    std::size_t wrong = 0;
    for (const std::vector<std::int32_t>& tensor : tensors)
      for (std::size_t i = 0; i < count; ++i)
        wrong += tensor[i] != static_cast<std::int32_t>(i * 31) + root * 1000 ? 1U : 0U;
    CHECK(wrong == 0);
  }
}

inline void device_misuse(Engine& engine) {
  const auto refused = [&](auto call, const std::string& part) {
    try {
      call();
      FAIL("misuse went unnoticed: " << part);
    } catch (const Error& error) {
      CHECK(error.code() == StatusCode::invalid_argument);
      CAPTURE(error.what());
      CHECK(std::string(error.what()).find(part) != std::string::npos);
    }
  };
  std::vector<float> values(8);
  const auto devices = static_cast<std::size_t>(engine.devices());
  const std::vector<TensorView> same(devices, view(values)), many(devices + 1, view(values)), none;
  refused([&] { engine.allreduce("m", many, ReduceOp::sum); }, "TREERING_DEVICES");
  refused([&] { engine.broadcast("m", none, 0); }, "TREERING_DEVICES");
  if (devices == 1) return;
  refused([&] { engine.allreduce("m", view(values), ReduceOp::sum); }, "hand over one tensor for each");
  refused([&] { engine.broadcast("m", view(values), 0); }, "hand over one tensor for each");
  refused([&] { engine.allreduce_bundle({{"m", view(values)}}, ReduceOp::sum); }, "hand over one tensor for each");
  refused([&] { engine.allreduce("m", same, ReduceOp::sum); }, "the tensors of devices 0 and 1 overlap");
  std::vector<TensorView> unlike = same;
  unlike[1].shape = {4};
  refused([&] { engine.allreduce("m", unlike, ReduceOp::sum); }, "device 1 has another type or shape");
}

/// Everything above.
inline void several_devices(Engine& engine) {
  for (const bool in_place : {true, false}) {
    device_allreduces<float>(engine, ReduceOp::average, in_place, 11);
    device_allreduces<std::int32_t>(engine, ReduceOp::average, in_place, 21);
    device_allreduces<Float16>(engine, ReduceOp::max, in_place, 31);
    device_allreduces<std::int64_t>(engine, ReduceOp::sum, in_place, 41);
  }
  for (const std::size_t count : {5U, 3000U, 70'001U}) {
    device_bits(engine, count);
    device_broadcasts(engine, count);
  }
  device_misuse(engine);
  engine.barrier().wait();
}

}  // namespace treering::test
