#include "elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference_kernels.h"

namespace treering::ops::test {

namespace {

template <class T>
T get(const std::byte* where) {
  T value;
  std::memcpy(&value, where, sizeof value);
  return value;
}

template <class T>
void put(std::byte* where, T value) {
  std::memcpy(where, &value, sizeof value);
}

// The value that an integer of that type has after wrapping.
double wrap(DataType type, double value) {
  std::byte raw[8];
  store_element(type, raw, value);
  return load_element(type, raw);
}

}  // namespace

double load_element(DataType type, const std::byte* where) {
  switch (type) {
    case DataType::u8: return get<std::uint8_t>(where);
    case DataType::i8: return get<std::int8_t>(where);
    case DataType::i32: return get<std::int32_t>(where);
    case DataType::i64: return static_cast<double>(get<std::int64_t>(where));
    case DataType::f16: return static_cast<double>(to_float(get<Float16>(where)));
    case DataType::bf16: return static_cast<double>(to_float(get<BFloat16>(where)));
    case DataType::f32: return static_cast<double>(get<float>(where));
    case DataType::f64: return get<double>(where);
    case DataType::boolean: return get<std::uint8_t>(where);
  }
  return 0;
}

void store_element(DataType type, std::byte* where, double value) {
  const auto whole = is_floating(type) ? 0 : static_cast<std::int64_t>(value);
  switch (type) {
    case DataType::u8: return put(where, static_cast<std::uint8_t>(whole));
    case DataType::i8: return put(where, static_cast<std::int8_t>(whole));
    case DataType::i32: return put(where, static_cast<std::int32_t>(whole));
    case DataType::i64: return put(where, whole);
    case DataType::f16: return put(where, to_float16(static_cast<float>(value)));
    case DataType::bf16: return put(where, to_bfloat16(static_cast<float>(value)));
    case DataType::f32: return put(where, static_cast<float>(value));
    case DataType::f64: return put(where, value);
    case DataType::boolean: return put(where, static_cast<std::uint8_t>(whole));
  }
}

double input_value(DataType type, ReduceOp op, int rank, std::size_t element, int step) {
  const auto mixed = static_cast<int>(
      (static_cast<std::size_t>(rank) * 7 + element * 3 + element / 64 * 5 + static_cast<std::size_t>(step) * 5) % 11);
  if (type == DataType::boolean) return mixed % 4 == 0 ? 1 : 0;
  if (op == ReduceOp::product) return 1 + mixed % 2;
  return mixed + 1;
}

double expected_value(DataType type, ReduceOp op, int ranks, std::size_t element, int step, double prescale,
                      double postscale) {
  double result = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const double value = input_value(type, op, rank, element, step) * prescale;
    if (rank == 0)
      result = value;
    else if (op == ReduceOp::min)
      result = std::min(result, value);
    else if (op == ReduceOp::max)
      result = std::max(result, value);
    else if (op == ReduceOp::product)
      result *= value;
    else
      result += value;
  }
  if (type == DataType::boolean) return result != 0 ? 1 : 0;
  if (!is_floating(type)) {
    result = wrap(type, result);
    return op == ReduceOp::average ? std::trunc(result / ranks) : result;
  }
  return (op == ReduceOp::average ? result / ranks : result) * postscale;
}

}  // namespace treering::ops::test
