#include "bench/gradients.h"

#include <algorithm>
#include <array>

namespace bench {
namespace {

/// Values repeat with a period that is prime, so that data that went astray by a chunk or a page is noticed; small
/// integers, so that floats add them without rounding.
constexpr std::size_t period = 1021;

constexpr std::array<float, period> make_pattern() {
  std::array<float, period> pattern{};
  for (std::size_t i = 0; i < period; ++i) pattern[i] = static_cast<float>(i * 7 % period) - 510.0F;
  return pattern;
}

constexpr std::array<float, period> pattern = make_pattern();

std::size_t phase(int rank, std::size_t tensor, std::uint64_t salt) {
  return (static_cast<std::size_t>(rank) * 131 + tensor * 17 + salt * 29) % period;
}

}  // namespace

Gradients::Gradients(const std::string& prefix, const std::vector<TensorSize>& sizes, Memory memory,
                     treering::Engine& engine)
    : rank_(engine.rank()), ranks_(engine.size()) {
  for (const TensorSize& size : sizes) {
    if (memory == Memory::engine)
      tensors_.push_back({prefix + size.name, shared_.emplace_back(engine.allocate<float>(size.count))});
    else
      tensors_.push_back({prefix + size.name, ordinary_.emplace_back(size.count)});
  }
}

void Gradients::fill(std::uint64_t salt) {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const std::span<float> values = tensors_[i].values;
    std::size_t from = phase(rank_, i, salt);
    for (std::size_t done = 0; done < values.size();) {
      const std::size_t run = std::min(period - from, values.size() - done);
      std::copy_n(pattern.begin() + static_cast<std::ptrdiff_t>(from), run,
                  values.begin() + static_cast<std::ptrdiff_t>(done));
      done += run;
      from = 0;
    }
  }
}

std::size_t Gradients::count_wrong(std::uint64_t salt) const {
  constexpr std::size_t looks = 64;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const std::span<float> values = tensors_[i].values;
    if (values.empty()) continue;
    const auto look = [&](std::size_t element) {
      float expected = 0;
      for (int rank = 0; rank < ranks_; ++rank) expected += pattern[(phase(rank, i, salt) + element) % period];
      if (values[element] != expected) ++wrong;
    };
    look(0);
    look(values.size() - 1);
    const std::size_t stride = values.size() / looks + 1;
    for (std::size_t element = salt % stride; element < values.size(); element += stride) look(element);
  }
  return wrong;
}

}  // namespace bench
