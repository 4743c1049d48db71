#include <algorithm>

#include "device/cuda/passes.cuh"
#include "tests/device/cuda_host_check.h"

namespace treering::device::tests {

namespace {

template <class Element, class Op>
void all_packs(const CudaOperands& operands, const CudaFactors& factors) {
  for (std::uint64_t offset = 0; offset < operands.bytes; offset += Pack::bytes) {
    reduce_pack<Element, Op>(operands, factors, offset);
  }
}

template <class Element>
void all_packs(ReduceOp op, const CudaOperands& operands, const CudaFactors& factors) {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::average: return all_packs<Element, SumOf>(operands, factors);
    case ReduceOp::min: return all_packs<Element, MinOf>(operands, factors);
    case ReduceOp::max: return all_packs<Element, MaxOf>(operands, factors);
    case ReduceOp::product: return all_packs<Element, ProductOf>(operands, factors);
  }
}

template <class From, class To>
void cast_each(const std::byte* source, std::byte* destination, std::size_t elements, double factor) {
  for (std::size_t i = 0; i < elements; ++i) cast_one<From, To>(source, destination, i, factor);
}

template <class From>
void cast_all(const std::byte* source, DataType to, std::byte* destination, std::size_t elements, double factor) {
  switch (to) {
    case DataType::f16: return cast_each<From, Float16Element>(source, destination, elements, factor);
    case DataType::bf16: return cast_each<From, BFloat16Element>(source, destination, elements, factor);
    case DataType::f32: return cast_each<From, RealElement<float>>(source, destination, elements, factor);
    case DataType::f64: return cast_each<From, RealElement<double>>(source, destination, elements, factor);
    default: return;
  }
}

CudaOperands operands_of(const std::vector<const std::byte*>& sources, const std::vector<std::byte*>& destinations,
                         std::size_t bytes) {
  CudaOperands operands = {};
  std::uintptr_t addresses = 0;
  for (const std::byte* source : sources) {
    operands.sources[operands.source_count++] = source;
    addresses |= reinterpret_cast<std::uintptr_t>(source);
  }
  for (std::byte* destination : destinations) {
    operands.destinations[operands.destination_count++] = destination;
    addresses |= reinterpret_cast<std::uintptr_t>(destination);
  }
  operands.bytes = bytes;
  operands.wide = addresses % Pack::bytes == 0;
  return operands;
}

}  // namespace

void reduce_like_cuda(const Reduction& what, const std::vector<const std::byte*>& sources,
                      const std::vector<std::byte*>& destinations, std::size_t bytes) {
  const CudaOperands operands = operands_of(sources, destinations, bytes);
  const CudaFactors factors = {what.prescale, what.finish == Finish::scale ? what.scale : 1.0,
                               what.finish == Finish::divide ? what.divisor : 1, what.prescaled_sources};
  switch (what.type) {
    case DataType::u8: return all_packs<IntegerElement<std::uint8_t>>(what.op, operands, factors);
    case DataType::i8: return all_packs<IntegerElement<std::int8_t>>(what.op, operands, factors);
    case DataType::i32: return all_packs<IntegerElement<std::int32_t>>(what.op, operands, factors);
    case DataType::i64: return all_packs<IntegerElement<std::int64_t>>(what.op, operands, factors);
    case DataType::f16: return all_packs<Float16Element>(what.op, operands, factors);
    case DataType::bf16: return all_packs<BFloat16Element>(what.op, operands, factors);
    case DataType::f32: return all_packs<RealElement<float>>(what.op, operands, factors);
    case DataType::f64: return all_packs<RealElement<double>>(what.op, operands, factors);
    case DataType::boolean: return all_packs<BooleanElement>(what.op, operands, factors);
  }
}

void copy_like_cuda(const std::vector<CopySegment>& table, std::uint64_t total, unsigned blocks, std::uint64_t share,
                    unsigned threads) {
  for (unsigned block = 0; block < blocks; ++block) {
    const std::uint64_t begin = block * share;
    const std::uint64_t end = begin + share < total ? begin + share : total;
    for (std::size_t base = first_to_read(table.data(), table.size(), begin); base < table.size(); base += threads) {
      const std::size_t held = std::min<std::size_t>(table.size() - base, threads);
      for (unsigned thread = 0; thread < threads; ++thread) {
        copy_share(table.data() + base, held, begin, end, thread, threads);
      }
      if (reaches(table[base + held - 1], end)) break;
    }
  }
}

void cast_like_cuda(DataType from, const std::byte* source, DataType to, std::byte* destination, std::size_t elements,
                    double factor) {
  switch (from) {
    case DataType::f16: return cast_all<Float16Element>(source, to, destination, elements, factor);
    case DataType::bf16: return cast_all<BFloat16Element>(source, to, destination, elements, factor);
    case DataType::f32: return cast_all<RealElement<float>>(source, to, destination, elements, factor);
    case DataType::f64: return cast_all<RealElement<double>>(source, to, destination, elements, factor);
    default: return;
  }
}

}  // namespace treering::device::tests
