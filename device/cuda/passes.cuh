#pragma once

#include "device/cuda/elements.cuh"
#include "device/cuda/launch_shape.h"

namespace treering::device {

// What one thread does, apart from which thread it is.

struct SumOf {
  template <class Element>
  static TREERING_EVERYWHERE auto apply(typename Element::Value a, typename Element::Value b) {
    return Element::sum(a, b);
  }
};
struct ProductOf {
  template <class Element>
  static TREERING_EVERYWHERE auto apply(typename Element::Value a, typename Element::Value b) {
    return Element::product(a, b);
  }
};
struct MinOf {
  template <class Element>
  static TREERING_EVERYWHERE auto apply(typename Element::Value a, typename Element::Value b) {
    return Element::min(a, b);
  }
};
struct MaxOf {
  template <class Element>
  static TREERING_EVERYWHERE auto apply(typename Element::Value a, typename Element::Value b) {
    return Element::max(a, b);
  }
};

/// Sixteen bytes, which the hardware moves at once where they are aligned.
struct alignas(16) Pack {
  static constexpr unsigned bytes = 16;
  std::byte data[bytes];
};

/// `count` bytes; whole packs at aligned addresses if `wide`, else element by element.
template <class T>
TREERING_EVERYWHERE Pack load_pack(const std::byte* from, unsigned count, bool wide) {
  if (wide && count == Pack::bytes) return *reinterpret_cast<const Pack*>(from);
  Pack pack = {};
  for (unsigned i = 0; i < Pack::bytes / sizeof(T); ++i) {
    if (i * sizeof(T) < count) reinterpret_cast<T*>(pack.data)[i] = reinterpret_cast<const T*>(from)[i];
  }
  return pack;
}
template <class T>
TREERING_EVERYWHERE void store_pack(std::byte* to, const Pack& pack, unsigned count, bool wide) {
  if (wide && count == Pack::bytes) {
    *reinterpret_cast<Pack*>(to) = pack;
    return;
  }
  for (unsigned i = 0; i < Pack::bytes / sizeof(T); ++i) {
    if (i * sizeof(T) < count) reinterpret_cast<T*>(to)[i] = reinterpret_cast<const T*>(pack.data)[i];
  }
}

/// The elements of one source at `offset`, prescaled if they are to be.
template <class Element>
TREERING_EVERYWHERE void load_operand(const CudaOperands& operands, const CudaFactors& factors, std::uint32_t source,
                                      std::uint64_t offset, unsigned count, typename Element::Value* values) {
  using Storage = typename Element::Storage;
  const Pack pack = load_pack<Storage>(operands.sources[source] + offset, count, operands.wide);
  const auto* stored = reinterpret_cast<const Storage*>(pack.data);
  for (unsigned i = 0; i < Pack::bytes / sizeof(Storage); ++i) {
    values[i] = Element::before(Element::widen(stored[i]), source < factors.prescaled_sources, factors);
  }
}

/// The pack at `offset`, from all sources to all destinations. Sources are read before destinations are written.
template <class Element, class Op>
TREERING_EVERYWHERE void reduce_pack(const CudaOperands& operands, const CudaFactors& factors, std::uint64_t offset) {
  using Storage = typename Element::Storage;
  constexpr unsigned lanes = Pack::bytes / sizeof(Storage);
  const std::uint64_t rest = operands.bytes - offset;
  const unsigned count = rest < Pack::bytes ? static_cast<unsigned>(rest) : Pack::bytes;
  typename Element::Value total[lanes];
  load_operand<Element>(operands, factors, 0, offset, count, total);
  for (std::uint32_t source = 1; source < operands.source_count; ++source) {
    typename Element::Value operand[lanes];
    load_operand<Element>(operands, factors, source, offset, count, operand);
    for (unsigned i = 0; i < lanes; ++i) total[i] = Op::template apply<Element>(total[i], operand[i]);
  }
  Pack result;
  for (unsigned i = 0; i < lanes; ++i) {
    reinterpret_cast<Storage*>(result.data)[i] = Element::narrow(Element::after(total[i], factors));
  }
  for (std::uint32_t d = 0; d < operands.destination_count; ++d) {
    store_pack<Storage>(operands.destinations[d] + offset, result, count, operands.wide);
  }
}

/// Element `index`. In float64 if either type is that wide, else in float32.
template <class From, class To>
TREERING_EVERYWHERE void cast_one(const std::byte* source, std::byte* destination, std::uint64_t index, double factor) {
  constexpr bool in_double = sizeof(typename From::Value) == 8 || sizeof(typename To::Value) == 8;
  const auto* from = reinterpret_cast<const typename From::Storage*>(source);
  auto* to = reinterpret_cast<typename To::Storage*>(destination);
  typename To::Value value;
  if constexpr (in_double) {
    value = static_cast<typename To::Value>(static_cast<double>(From::widen(from[index])) * factor);
  } else {
    value = From::widen(from[index]) * static_cast<float>(factor);
  }
  to[index] = To::narrow(To::is_nan(value) ? To::nan() : value);
}

/// Thread `thread` of `threads` that share the copy.
template <class T>
TREERING_EVERYWHERE void copy_units(const std::byte* from, std::byte* to, std::uint64_t bytes, unsigned thread,
                                    unsigned threads) {
  const auto* source = reinterpret_cast<const T*>(from);
  auto* destination = reinterpret_cast<T*>(to);
  for (std::uint64_t i = thread; i < bytes / sizeof(T); i += threads) destination[i] = source[i];
}

/// In units as wide as both addresses allow at once, with single bytes before the first and after the last.
template <class T>
TREERING_EVERYWHERE void copy_aligned(const std::byte* from, std::byte* to, std::uint64_t bytes, unsigned thread,
                                      unsigned threads) {
  const std::uint64_t to_boundary = (sizeof(T) - reinterpret_cast<std::uintptr_t>(from) % sizeof(T)) % sizeof(T);
  const std::uint64_t head = to_boundary < bytes ? to_boundary : bytes;
  const std::uint64_t body = (bytes - head) / sizeof(T) * sizeof(T);
  const std::uint64_t tail = head + body;
  copy_units<std::byte>(from, to, head, thread, threads);
  copy_units<T>(from + head, to + head, body, thread, threads);
  copy_units<std::byte>(from + tail, to + tail, bytes - tail, thread, threads);
}
TREERING_EVERYWHERE void copy_range(const std::byte* from, std::byte* to, std::uint64_t bytes, unsigned thread,
                                    unsigned threads) {
  const std::uintptr_t skew = reinterpret_cast<std::uintptr_t>(from) ^ reinterpret_cast<std::uintptr_t>(to);
  if (skew % sizeof(Pack) == 0) {
    copy_aligned<Pack>(from, to, bytes, thread, threads);
  } else if (skew % sizeof(std::uint32_t) == 0) {
    copy_aligned<std::uint32_t>(from, to, bytes, thread, threads);
  } else {
    copy_units<std::byte>(from, to, bytes, thread, threads);
  }
}

/// The last of the segments that does not begin after `begin`.
TREERING_EVERYWHERE std::size_t segment_at(const CopySegment* table, std::size_t count, std::uint64_t begin) {
  std::size_t first = 0;
  for (std::size_t beyond = count; first + 1 < beyond;) {
    const std::size_t middle = (first + beyond) / 2;
    (table[middle].begin <= begin ? first : beyond) = middle;
  }
  return first;
}

/// Where a block begins to read the table: a short one is read as a whole, which is sooner than searching it.
TREERING_EVERYWHERE std::size_t first_to_read(const CopySegment* table, std::size_t count, std::uint64_t begin) {
  return count <= cuda_threads ? 0 : segment_at(table, count, begin);
}
TREERING_EVERYWHERE bool reaches(const CopySegment& segment, std::uint64_t end) {
  return segment.begin + segment.bytes >= end;
}

/// What lies in these segments of bytes [begin, end) of all segments put end to end.
TREERING_EVERYWHERE void copy_share(const CopySegment* table, std::size_t count, std::uint64_t begin, std::uint64_t end,
                                    unsigned thread, unsigned threads) {
  for (std::size_t i = segment_at(table, count, begin); i < count && table[i].begin < end; ++i) {
    const CopySegment segment = table[i];
    const std::uint64_t from = segment.begin < begin ? begin - segment.begin : 0;
    const std::uint64_t to = segment.begin + segment.bytes < end ? segment.bytes : end - segment.begin;
    if (from < to) copy_range(segment.source + from, segment.destination + from, to - from, thread, threads);
  }
}

}  // namespace treering::device
