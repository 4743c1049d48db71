#pragma once

/// Element types and reductions, and the arithmetic rules that hold on every rank and every path.
///
/// * All ranks end with identical bits. Operands are combined in the order of member indices.
/// * Integers: sums and products wrap modulo 2^bits. An average is the wrapped sum divided by the number of members,
///   truncated toward zero.
/// * Floats: an average is the sum times 1/members, applied where the members of a node meet. Nothing is contracted to
///   fused multiply-add.
/// * f16, bf16: computed in float32 and rounded to nearest even once per hop (once in a node, once for each node that a
///   partial sum visits). Over N nodes the relative error of a sum of same-signed values is at most about N * 2^-11
///   (f16) or N * 2^-8 (bf16).
/// * NaN: if any operand is NaN, the result of every float reduction (min and max too) is the canonical quiet NaN.
/// * Signed zero: min(-0, +0) is -0, max(-0, +0) is +0, whatever the order.
/// * bool: any non-zero byte counts as true; results are 0 or 1. Sum and max are "or", product and min are "and";
/// average
///   is refused.
/// * `prescale` multiplies each input, `postscale` the result, in the type of the accumulation (float32 for halves).
///   Both are refused for integers and bool.

#include <cstddef>
#include <cstdint>

namespace treering {

enum class DataType : std::uint8_t { u8, i8, i32, i64, f16, bf16, f32, f64, boolean };
inline constexpr int data_type_count = 9;

enum class ReduceOp : std::uint8_t { sum, average, min, max, product };
inline constexpr int reduce_op_count = 5;

/// IEEE 754 binary16, as bits. Conversion is in the hands of the user or of Treering's own kernels.
struct Float16 {
  std::uint16_t bits;
};

/// The upper half of an IEEE 754 binary32, as bits.
struct BFloat16 {
  std::uint16_t bits;
};

constexpr std::size_t size_of(DataType type) {
  switch (type) {
    case DataType::u8:
    case DataType::i8:
    case DataType::boolean: return 1;
    case DataType::f16:
    case DataType::bf16: return 2;
    case DataType::i32:
    case DataType::f32: return 4;
    case DataType::i64:
    case DataType::f64: return 8;
  }
  return 0;
}

constexpr bool is_floating(DataType type) {
  return type == DataType::f16 || type == DataType::bf16 || type == DataType::f32 || type == DataType::f64;
}

constexpr const char* name_of(DataType type) {
  constexpr const char* names[] = {"u8", "i8", "i32", "i64", "f16", "bf16", "f32", "f64", "bool"};
  const auto index = static_cast<std::size_t>(type);
  return index < data_type_count ? names[index] : "unknown type";
}

constexpr const char* name_of(ReduceOp op) {
  constexpr const char* names[] = {"sum", "average", "min", "max", "product"};
  const auto index = static_cast<std::size_t>(op);
  return index < reduce_op_count ? names[index] : "unknown op";
}

/// DataType of a C++ element type; a compile error names the type if there is none.
template <class T>
struct DataTypeOf;
template <>
struct DataTypeOf<std::uint8_t> {
  static constexpr DataType value = DataType::u8;
};
template <>
struct DataTypeOf<std::int8_t> {
  static constexpr DataType value = DataType::i8;
};
template <>
struct DataTypeOf<std::int32_t> {
  static constexpr DataType value = DataType::i32;
};
template <>
struct DataTypeOf<std::int64_t> {
  static constexpr DataType value = DataType::i64;
};
template <>
struct DataTypeOf<Float16> {
  static constexpr DataType value = DataType::f16;
};
template <>
struct DataTypeOf<BFloat16> {
  static constexpr DataType value = DataType::bf16;
};
template <>
struct DataTypeOf<float> {
  static constexpr DataType value = DataType::f32;
};
template <>
struct DataTypeOf<double> {
  static constexpr DataType value = DataType::f64;
};
template <>
struct DataTypeOf<bool> {
  static constexpr DataType value = DataType::boolean;
};

}  // namespace treering
