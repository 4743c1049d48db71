#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "treering/types.h"

namespace treering::device {

/// What is done to a finished reduction before it is stored.
enum class Finish : std::uint8_t {
  none,
  scale,   ///< floats: times `Reduction::scale`, in the accumulation type
  divide,  ///< integers: divided by `Reduction::divisor`, truncated toward zero
};

/// One element-wise reduction; ReduceOp::average is a sum here (the caller chooses `finish`). The rules are those of
/// treering/types.h. Factors of exactly one and a divisor of one are as if absent, and so are factors for integers and
/// divisors for floats.
struct Reduction {
  DataType type = DataType::f32;
  ReduceOp op = ReduceOp::sum;
  double prescale = 1.0;  ///< applied to sources i < prescaled_sources
  std::uint32_t prescaled_sources = 0;
  Finish finish = Finish::none;
  double scale = 1.0;
  std::int64_t divisor = 1;  ///< at least 1
};

/// Element-wise kernels of one instruction-set level on host memory. Stateless and thread-safe.
struct HostKernels {
  const char* name;  ///< "baseline", "avx2", "avx512"

  /// destinations[d][i] = finish(sources[0][i] op sources[1][i] op ...) for all d, in one pass, operands in the order
  /// of `sources`; halves are accumulated in float32 and rounded once. A destination may be one of the sources (same
  /// address); otherwise ranges do not overlap. At least one source. `bytes` is a multiple of the element size;
  /// addresses are aligned to the element size only.
  ///
  /// One source with nothing to scale is a copy of the bits, NaN payloads included (nothing has been combined yet);
  /// only bool becomes 0 or 1 even then. Everything else that is NaN in the end is the canonical one.
  void (*reduce)(const Reduction& what, std::span<const std::byte* const> sources,
                 std::span<std::byte* const> destinations, std::size_t bytes);

  /// Plain copy, one source to many destinations.
  void (*copy)(const std::byte* source, std::span<std::byte* const> destinations, std::size_t bytes);
};

/// The best level this CPU can run.
const HostKernels& host_kernels();
/// All levels this CPU can run, for tests.
std::span<const HostKernels* const> all_host_kernels();

}  // namespace treering::device
