#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "device/host/cast.h"
#include "device/sim/devices.h"
#include "tests/device/oracle.h"
#include "tests/device/reduce_case.h"

using namespace treering;
using namespace treering::device;
using namespace treering::device::tests;

namespace {

/// Where `pointer` of the host lies on the device, when the bytes around it have been copied there.
class Mirror {
 public:
  explicit Mirror(Device& device) : device_(device) {
    REQUIRE(device.allocate(capacity, memory_).ok());
    REQUIRE(device.allocate_pinned(capacity, pinned_).ok());
  }

  /// The reduction on the device, at addresses that lie in the same way as the host's.
  void reduce(const Reduction& what, const std::vector<const std::byte*>& sources,
              const std::vector<std::byte*>& destinations, std::size_t bytes) {
    used_ = 0;
    places_.clear();
    std::vector<const std::byte*> from;
    std::vector<std::byte*> to;
    for (const std::byte* const source : sources) from.push_back(place(source, bytes));
    for (std::byte* const destination : destinations) to.push_back(place(destination, bytes));
    copy(pinned_, memory_);
    REQUIRE(device_.reduce({}, what, from, to, bytes).ok());
    copy(memory_, pinned_);
    for (std::byte* const destination : destinations)
      std::memcpy(destination, pinned_ + (place(destination, bytes) - memory_), bytes);
  }

 private:
  static constexpr std::size_t capacity = 1 << 20;

  std::byte* place(const std::byte* host, std::size_t bytes) {
    for (const auto& [known, offset] : places_)
      if (known == host) return memory_ + offset;
    const std::size_t offset = used_ + reinterpret_cast<std::uintptr_t>(host) % 64;
    used_ = (offset + bytes + 63) / 64 * 64;
    REQUIRE(used_ <= capacity);
    std::memcpy(pinned_ + offset, host, bytes);
    places_.emplace_back(host, offset);
    return memory_ + offset;
  }
  void copy(std::byte* from, std::byte* to) {
    REQUIRE(device_.copy({}, from, to, used_).ok());
    REQUIRE(device_.synchronize({}).ok());
  }

  Device& device_;
  std::byte* memory_ = nullptr;
  std::byte* pinned_ = nullptr;
  std::size_t used_ = 0;
  std::vector<std::pair<const std::byte*, std::size_t>> places_;
};

double value_of(DataType type, const std::byte* from) {
  std::uint16_t half = 0;
  std::memcpy(&half, from, sizeof half);
  if (type == DataType::f16) return value_of_half(half);
  if (type == DataType::bf16) return value_of_bfloat(half);
  if (type == DataType::f64) return *reinterpret_cast<const double*>(from);
  return static_cast<double>(*reinterpret_cast<const float*>(from));
}

/// `value` as an element of that type; rounded once, from float32 where the type is a half.
std::vector<std::byte> element_of(DataType type, double value) {
  std::vector<std::byte> bytes(size_of(type));
  const auto store = [&](auto element) { std::memcpy(bytes.data(), &element, sizeof element); };
  const auto single = static_cast<float>(value);
  if (type == DataType::f16)
    store(std::isnan(value) ? std::uint16_t{0x7e00} : half_nearest(static_cast<double>(single)));
  if (type == DataType::bf16)
    store(std::isnan(value) ? std::uint16_t{0x7fc0} : bfloat_nearest(static_cast<double>(single)));
  if (type == DataType::f32) store(std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : single);
  if (type == DataType::f64) store(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  return bytes;
}

}  // namespace

TEST_CASE("sim: reductions have the host's bits, for all types and operations") {
  std::vector<std::unique_ptr<Device>> devices;
  REQUIRE(sim::open_devices({.seed = 2}, devices).ok());
  Mirror mirror(*devices[0]);
  for (int type = 0; type < data_type_count; ++type) {
    for_each_case(static_cast<DataType>(type), [&](const ReduceCase& one) {
      const auto host = one.run([](const Reduction& what, const auto& sources, const auto& destinations,
                                   std::size_t bytes) { host_kernels().reduce(what, sources, destinations, bytes); });
      const auto device = one.run([&](const Reduction& what, const auto& sources, const auto& destinations,
                                      std::size_t bytes) { mirror.reduce(what, sources, destinations, bytes); });
      CHECK_MESSAGE(host == device, one.describe());
    });
  }
}

TEST_CASE("casts round once, between all floating types") {
  std::mt19937_64 random(7);
  const DataType types[] = {DataType::f16, DataType::bf16, DataType::f32, DataType::f64};
  for (const DataType from : types) {
    for (const DataType to : types) {
      const bool in_double = from == DataType::f64 || to == DataType::f64;
      int wrong = 0;
      for (int i = 0; i < 20000; ++i) {
        const std::uint64_t bits = random();
        std::vector<std::byte> source(8);
        std::memcpy(source.data(), &bits, 8);
        const double factor = i % 2 == 0 ? 1.0 : 0.375;
        const double value = value_of(from, source.data());
        const double exact =
            in_double ? value * factor : static_cast<double>(static_cast<float>(value) * static_cast<float>(factor));
        std::vector<std::byte> result(size_of(to));
        host_cast(from, source.data(), to, result.data(), 1, factor);
        wrong += result != element_of(to, exact);
      }
      CHECK_MESSAGE(wrong == 0, name_of(from), " to ", name_of(to));
    }
  }
}
