#include "tests/device/reduce_case.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tests/device/patterns.h"

namespace treering::device::tests {

namespace {

constexpr std::byte canary{0xa5};
constexpr std::size_t margin = 64;

/// Nothing, a factor of one, prescale for some, scale, both; for integers nothing and some divisors.
std::vector<Reduction> variants(DataType type, ReduceOp op, std::uint32_t sources) {
  std::vector<Reduction> list = {{type, op}};
  if (is_floating(type)) {
    list.push_back({type, op, 1.0, sources, Finish::scale, 1.0, 1});
    list.push_back({type, op, 0.1, (sources + 1) / 2, Finish::none, 1.0, 1});
    list.push_back({type, op, 1.0, 0, Finish::scale, 1.0 / 3.0, 1});
    list.push_back({type, op, -1.7, sources, Finish::scale, 1e-3, 1});
  } else if (type != DataType::boolean) {
    for (const std::int64_t divisor : {1, 2, 3, 7, 64}) {
      list.push_back({type, op, 1.0, 0, Finish::divide, 1.0, divisor});
    }
  }
  return list;
}

Aliases make_aliases(std::size_t mode, std::size_t sources, std::size_t destinations) {
  Aliases aliases(destinations, -1);
  for (std::size_t d = 0; d < std::min(sources, destinations); ++d) {
    if (mode == 1) aliases[d] = static_cast<int>(d);
    if (mode == 2 && d % 2 == 0) aliases[d] = static_cast<int>(sources - 1 - d);
  }
  return aliases;
}

}  // namespace

ReduceCase::ReduceCase(const Reduction& what, std::size_t sources, Aliases aliases, std::size_t elements,
                       std::mt19937_64& random)
    : what_(what), source_count_(sources), aliases_(std::move(aliases)), bytes_(elements * size_of(what.type)) {
  const bool aligned = random() % 4 == 0;
  for (std::size_t i = 0; i < sources + aliases_.size(); ++i) {
    areas_.emplace_back(bytes_ + 2 * margin + 64, canary);
    starts_.push_back(margin + (aligned ? 0 : random() % (64 / size_of(what.type)) * size_of(what.type)));
    fill_with_patterns(what.type, areas_[i].data() + starts_[i], bytes_, random);
  }
}

ReduceCase::Areas ReduceCase::run(const Reduce& reduce) const {
  Areas areas = areas_;
  std::vector<const std::byte*> sources;
  std::vector<std::byte*> destinations;
  for (std::size_t i = 0; i < source_count_; ++i) sources.push_back(place(areas, i));
  for (std::size_t d = 0; d < aliases_.size(); ++d) {
    destinations.push_back(place(areas, aliases_[d] < 0 ? source_count_ + d : static_cast<std::size_t>(aliases_[d])));
  }
  reduce(what_, sources, destinations, bytes_);
  return areas;
}

std::string ReduceCase::describe() const {
  return std::string(name_of(what_.type)) + " " + name_of(what_.op) + ", " + std::to_string(source_count_) +
         " sources, " + std::to_string(aliases_.size()) + " destinations, " + std::to_string(bytes_) +
         " bytes, prescale " + std::to_string(what_.prescale) + " of " + std::to_string(what_.prescaled_sources) +
         ", finish " + std::to_string(static_cast<int>(what_.finish));
}

void for_each_case(DataType type, const std::function<void(const ReduceCase&)>& check) {
  std::mt19937_64 random(0x7265 + static_cast<unsigned>(type));
  constexpr std::size_t lengths[] = {0, 1, 3, 7, 8, 15, 17, 31, 33, 63, 65, 129, 257};
  std::size_t mode = 0;
  for (int op = 0; op < reduce_op_count; ++op) {
    for (std::uint32_t sources = 1; sources <= 9; ++sources) {
      for (const Reduction& what : variants(type, static_cast<ReduceOp>(op), sources)) {
        for (std::size_t destinations = 1; destinations <= 4; ++destinations) {
          for (const std::size_t elements : lengths) {
            check(ReduceCase(what, sources, make_aliases(mode++ % 3, sources, destinations), elements, random));
          }
        }
      }
    }
  }
}

}  // namespace treering::device::tests
