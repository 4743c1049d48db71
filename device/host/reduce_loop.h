#pragma once

#include "device/host/copy_loop.h"
#include "device/host/floats.h"
#include "device/host/halves.h"
#include "device/host/integers.h"
#include "device/host/level.h"

namespace treering::device {

template <class Level>
struct Sum {
  static constexpr bool additive = true;
  template <class Element, class Lanes>
  TREERING_INLINE static Lanes apply(const Lanes& a, const Lanes& b) {
    return Element::sum(a, b);
  }
};
template <class Level>
struct Product {
  static constexpr bool additive = false;
  template <class Element, class Lanes>
  TREERING_INLINE static Lanes apply(const Lanes& a, const Lanes& b) {
    return Element::product(a, b);
  }
};
template <class Level>
struct Min {
  static constexpr bool additive = false;
  template <class Element, class Lanes>
  TREERING_INLINE static Lanes apply(const Lanes& a, const Lanes& b) {
    return Element::min(a, b);
  }
};
template <class Level>
struct Max {
  static constexpr bool additive = false;
  template <class Element, class Lanes>
  TREERING_INLINE static Lanes apply(const Lanes& a, const Lanes& b) {
    return Element::max(a, b);
  }
};

/// Nothing to scale.
template <class Level, class Element>
struct Unscaled {
  using Lanes = typename Element::Lanes;
  TREERING_INLINE explicit Unscaled(const Reduction&) {}
  TREERING_INLINE Lanes before(std::size_t, const Lanes& lanes) const { return lanes; }
  TREERING_INLINE Lanes after(const Lanes& lanes) const { return lanes; }
};

/// One pass over memory. `fixed_sources` is their number where it is known when compiling, else 0. Every source of a
/// block is read before any destination is written, so a destination may be a source.
template <class Level, class Element, class Op, class Scaling, std::size_t fixed_sources>
class Pass {
 public:
  using Lanes = typename Element::Lanes;

  TREERING_INLINE Pass(const Reduction& what, const std::byte* const* sources, std::size_t source_count,
                       std::byte* const* destinations, std::size_t destination_count)
      : scaling_(what),
        sources_(sources),
        source_count_(fixed_sources > 0 ? fixed_sources : source_count),
        destinations_(destinations),
        destination_count_(destination_count) {}

  TREERING_INLINE void run(std::size_t bytes) const {
    constexpr std::size_t step = Element::unroll * Element::bytes;
    std::size_t offset = 0;
    for (; offset + step <= bytes; offset += step) block<Element::unroll>(offset);
    for (; offset + Element::bytes <= bytes; offset += Element::bytes) block<1>(offset);
    if (offset < bytes) tail(offset, bytes - offset);
  }

 private:
  template <std::size_t count>
  TREERING_INLINE void block(std::size_t offset) const {
    Lanes total[count];
    for (std::size_t i = 0; i < count; ++i) {
      total[i] = scaling_.before(0, Element::load(sources_[0] + offset + i * Element::bytes));
    }
    for (std::size_t source = 1; source < source_count_; ++source) {
      const std::byte* const from = sources_[source] + offset;
      for (std::size_t i = 0; i < count; ++i) {
        const Lanes operand = scaling_.before(source, Element::load(from + i * Element::bytes));
        total[i] = Op::template apply<Element>(total[i], operand);
      }
    }
    for (std::size_t i = 0; i < count; ++i) total[i] = Element::settle(scaling_.after(total[i]));
    for (std::size_t d = 0; d < destination_count_; ++d) {
      std::byte* const to = destinations_[d] + offset;
      for (std::size_t i = 0; i < count; ++i) Element::store(to + i * Element::bytes, total[i]);
    }
  }

  /// Less than one Lanes: the missing elements are zeros, which no operation minds.
  TREERING_INLINE void tail(std::size_t offset, std::size_t bytes) const {
    Lanes total = scaling_.before(0, load_part(sources_[0] + offset, bytes));
    for (std::size_t source = 1; source < source_count_; ++source) {
      const Lanes operand = scaling_.before(source, load_part(sources_[source] + offset, bytes));
      total = Op::template apply<Element>(total, operand);
    }
    std::byte part[Element::bytes];
    Element::store(part, Element::settle(scaling_.after(total)));
    for (std::size_t d = 0; d < destination_count_; ++d) __builtin_memcpy(destinations_[d] + offset, part, bytes);
  }

  TREERING_INLINE static Lanes load_part(const std::byte* from, std::size_t bytes) {
    std::byte part[Element::bytes] = {};
    __builtin_memcpy(part, from, bytes);
    return Element::load(part);
  }

  Scaling scaling_;
  const std::byte* const* sources_;
  std::size_t source_count_;
  std::byte* const* destinations_;
  std::size_t destination_count_;
};

/// Sums of two floats are what most training is made of; for them alone the count of sources is worth code of its own.
template <class Level, class Element, class Op, class Scaling>
TREERING_INLINE void reduce_scaled(const Reduction& what, const std::byte* const* sources, std::size_t source_count,
                                   std::byte* const* destinations, std::size_t destination_count, std::size_t bytes) {
  if constexpr (Element::floating && Op::additive) {
    if (source_count == 2) {
      Pass<Level, Element, Op, Scaling, 2>(what, sources, 2, destinations, destination_count).run(bytes);
      return;
    }
  }
  Pass<Level, Element, Op, Scaling, 0>(what, sources, source_count, destinations, destination_count).run(bytes);
}

template <class Level, class Element, class Op>
void reduce_elements(const Reduction& what, const std::byte* const* sources, std::size_t source_count,
                     std::byte* const* destinations, std::size_t destination_count, std::size_t bytes) {
  if constexpr (Element::scalable) {
    if (what.finish != Finish::none || what.prescaled_sources > 0) {
      reduce_scaled<Level, Element, Op, typename Element::Scaling>(what, sources, source_count, destinations,
                                                                   destination_count, bytes);
      return;
    }
  }
  reduce_scaled<Level, Element, Op, Unscaled<Level, Element>>(what, sources, source_count, destinations,
                                                              destination_count, bytes);
}

template <class Level, class Element>
constexpr void fill_row(ReduceFunction (&row)[reduce_op_count]) {
  row[static_cast<int>(ReduceOp::sum)] = reduce_elements<Level, Element, Sum<Level>>;
  row[static_cast<int>(ReduceOp::average)] = reduce_elements<Level, Element, Sum<Level>>;
  row[static_cast<int>(ReduceOp::min)] = reduce_elements<Level, Element, Min<Level>>;
  row[static_cast<int>(ReduceOp::max)] = reduce_elements<Level, Element, Max<Level>>;
  row[static_cast<int>(ReduceOp::product)] = reduce_elements<Level, Element, Product<Level>>;
}

/// All kernels of a level: a type with internal linkage that has `bytes`, the width of its vectors, and `Float16Codec`.
template <class Level>
constexpr LevelKernels kernels_of() {
  LevelKernels kernels = {};
  fill_row<Level, Integer<Level, std::uint8_t>>(kernels.reduce[static_cast<int>(DataType::u8)]);
  fill_row<Level, Integer<Level, std::int8_t>>(kernels.reduce[static_cast<int>(DataType::i8)]);
  fill_row<Level, Integer<Level, std::int32_t>>(kernels.reduce[static_cast<int>(DataType::i32)]);
  fill_row<Level, Integer<Level, std::int64_t>>(kernels.reduce[static_cast<int>(DataType::i64)]);
  fill_row<Level, Half<Level, typename Level::Float16Codec>>(kernels.reduce[static_cast<int>(DataType::f16)]);
  fill_row<Level, Half<Level, BFloat16Codec<Level>>>(kernels.reduce[static_cast<int>(DataType::bf16)]);
  fill_row<Level, Floating<Level, float>>(kernels.reduce[static_cast<int>(DataType::f32)]);
  fill_row<Level, Floating<Level, double>>(kernels.reduce[static_cast<int>(DataType::f64)]);
  fill_row<Level, Boolean<Level>>(kernels.reduce[static_cast<int>(DataType::boolean)]);
  kernels.copy = CopyPass<Level>::run;
  return kernels;
}

}  // namespace treering::device
