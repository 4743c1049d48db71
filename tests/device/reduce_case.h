#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "device/kernels.h"

namespace treering::device::tests {

/// Which destinations are sources: destination d is source `alias[d]`, or memory of its own where that is negative.
using Aliases = std::vector<int>;

/// One reduction, on memory with canaries around everything, at addresses that are aligned to the element size only
/// (or, one time in four, to 16 bytes).
class ReduceCase {
 public:
  using Areas = std::vector<std::vector<std::byte>>;
  using Reduce = std::function<void(const Reduction& what, const std::vector<const std::byte*>& sources,
                                    const std::vector<std::byte*>& destinations, std::size_t bytes)>;

  ReduceCase(const Reduction& what, std::size_t sources, Aliases aliases, std::size_t elements,
             std::mt19937_64& random);

  /// The bytes of all areas after `reduce`, canaries and sources included.
  Areas run(const Reduce& reduce) const;

  const Reduction& what() const { return what_; }
  std::size_t sources() const { return source_count_; }
  std::string describe() const;

 private:
  std::byte* place(Areas& areas, std::size_t index) const { return areas[index].data() + starts_[index]; }

  Reduction what_;
  std::size_t source_count_;
  Aliases aliases_;
  std::size_t bytes_;
  Areas areas_;
  std::vector<std::size_t> starts_;
};

/// Calls `check` with many cases of one type: all operations, 1 to 9 sources, 1 to 4 destinations, in place and not,
/// odd lengths and addresses; for floats with factors, for integers with divisors.
void for_each_case(DataType type, const std::function<void(const ReduceCase&)>& check);

}  // namespace treering::device::tests
