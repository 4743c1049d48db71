// One real tensor with more than 2^31 elements, through every layer: `huge`. 2 GiB on each rank, in engine memory.

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>

#include "treering/treering.h"

using namespace treering;

namespace {

constexpr std::size_t count = (std::size_t{1} << 31) + 12'345;

/// Has no period that a chunk, slot or piece could share.
std::uint8_t value_of(int rank, std::size_t element) {
  return static_cast<std::uint8_t>((element * 2'654'435'761U + static_cast<std::size_t>(rank) * 40'503U) >> 13);
}

}  // namespace

int main() {
  const auto engine = Engine::start();
  Buffer<std::uint8_t> tensor = engine->allocate<std::uint8_t>(count);
  for (std::size_t i = 0; i < count; ++i) tensor[i] = value_of(engine->rank(), i);
  engine->allreduce("huge", view(tensor), ReduceOp::sum).wait();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t want = 0;
    for (int rank = 0; rank < engine->size(); ++rank) want = static_cast<std::uint8_t>(want + value_of(rank, i));
    wrong += tensor[i] != want ? 1U : 0U;
  }
  if (wrong > 0) fmt::print(stderr, "huge: rank {} holds {} wrong elements of {}\n", engine->rank(), wrong, count);
  return wrong == 0 ? 0 : 1;
}
