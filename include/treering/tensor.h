#pragma once

#include <cstdint>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "treering/types.h"

namespace treering {

/// Extents, outermost first. An empty shape is a scalar (one element); any extent of zero makes an empty tensor.
using Shape = std::vector<std::int64_t>;

/// A non-owning view of a dense row-major tensor in host memory. The memory must stay alive and untouched from the call
/// that takes the view until its handle is done.
struct TensorView {
  void* data = nullptr;
  DataType type = DataType::f32;
  Shape shape;
};

/// The same, for memory that is only read.
struct ConstTensorView {
  const void* data = nullptr;
  DataType type = DataType::f32;
  Shape shape;

  ConstTensorView() = default;
  ConstTensorView(const void* where, DataType what, Shape extents)
      : data(where), type(what), shape(std::move(extents)) {}
  ConstTensorView(const TensorView& other) : data(other.data), type(other.type), shape(other.shape) {}
};

/// `count` elements at `data`.
template <class T>
auto view(T* data, std::int64_t count) {
  using View = std::conditional_t<std::is_const_v<T>, ConstTensorView, TensorView>;
  return View{data, DataTypeOf<std::remove_const_t<T>>::value, Shape{count}};
}

/// A tensor of the given shape at `data`.
template <class T>
auto view(T* data, Shape shape) {
  using View = std::conditional_t<std::is_const_v<T>, ConstTensorView, TensorView>;
  return View{data, DataTypeOf<std::remove_const_t<T>>::value, std::move(shape)};
}

/// Anything with contiguous elements: std::vector, std::array, std::span, treering::Buffer.
template <std::ranges::contiguous_range R>
auto view(R&& range) {
  return view(std::ranges::data(range), static_cast<std::int64_t>(std::ranges::size(range)));
}

}  // namespace treering
