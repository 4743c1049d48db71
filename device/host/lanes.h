#pragma once

#include <cstddef>
#include <cstdint>

/// Vectors of the compiler (g++ and clang alike), and how to move them. A level is a type with internal linkage, so
/// everything that takes it as a template argument stays inside the level's own object file.

#define TREERING_INLINE [[gnu::always_inline]] inline

namespace treering::device {

template <class T, int Bytes>
struct VectorOf {
  typedef T Type __attribute__((vector_size(Bytes)));
};
/// Bytes / sizeof(T) lanes of T.
template <class T, int Bytes>
using Vector = typename VectorOf<T, Bytes>::Type;

template <class T>
struct UnsignedOf {
  using Type = T;
};
template <>
struct UnsignedOf<std::int8_t> {
  using Type = std::uint8_t;
};
template <>
struct UnsignedOf<std::int32_t> {
  using Type = std::uint32_t;
};
template <>
struct UnsignedOf<std::int64_t> {
  using Type = std::uint64_t;
};

/// Memory of any alignment.
template <class Level, class Lanes>
TREERING_INLINE Lanes load_lanes(const std::byte* from) {
  Lanes lanes;
  __builtin_memcpy(&lanes, from, sizeof(Lanes));
  return lanes;
}
template <class Level, class Lanes>
TREERING_INLINE void store_lanes(std::byte* to, Lanes lanes) {
  __builtin_memcpy(to, &lanes, sizeof(Lanes));
}

}  // namespace treering::device
