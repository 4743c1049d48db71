#include "device/sim/work.h"

#include <algorithm>
#include <array>

#include "device/host/cast.h"

namespace treering::device::sim {

namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

constexpr std::size_t word = sizeof(std::uint64_t);

const std::byte* bytes_of(const std::uint64_t* counter) { return reinterpret_cast<const std::byte*>(counter); }

bool overlap(const std::byte* a, std::size_t a_size, const std::byte* b, std::size_t b_size) {
  return a < b + b_size && b < a + a_size;
}

/// Finds several places and keeps the first reason why one cannot be found.
class Finder {
 public:
  Finder(const Resolve& resolve, std::string& why) : resolve_(resolve), why_(why) {}
  std::byte* operator()(const std::byte* address, std::size_t size) {
    std::string why;
    std::byte* const bytes = size == 0 ? nullptr : resolve_(address, size, why);
    if (size > 0 && bytes == nullptr && all_) {
      all_ = false;
      why_ = why;
    }
    return bytes;
  }
  bool all() const { return all_; }

 private:
  const Resolve& resolve_;
  std::string& why_;
  bool all_ = true;
};

void run(const Reduce& reduce, std::uint64_t begin, std::uint64_t end, Finder& find) {
  std::vector<const std::byte*> sources;
  std::vector<std::byte*> destinations;
  for (const std::byte* const source : reduce.sources) sources.push_back(find(source + begin, end - begin));
  for (std::byte* const destination : reduce.destinations)
    destinations.push_back(find(destination + begin, end - begin));
  if (find.all()) host_kernels().reduce(reduce.what, sources, destinations, end - begin);
}

void run(const Copy& copy, std::uint64_t begin, std::uint64_t end, Finder& find) {
  const std::byte* const source = find(copy.source + begin, end - begin);
  const std::array destination = {find(copy.destination + begin, end - begin)};
  if (find.all()) host_kernels().copy(source, destination, end - begin);
}

void run(const Cast& cast, std::uint64_t begin, std::uint64_t end, Finder& find) {
  const std::size_t from = size_of(cast.from);
  const std::size_t to = size_of(cast.to);
  const std::byte* const source = find(cast.source + begin * from, (end - begin) * from);
  std::byte* const destination = find(cast.destination + begin * to, (end - begin) * to);
  if (find.all()) host_cast(cast.from, source, cast.to, destination, end - begin, cast.factor);
}

void run(const CopySegments& pack, std::uint64_t begin, std::uint64_t end, Finder& find) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(pack.table);
  const auto* const table = reinterpret_cast<const CopySegment*>(find(bytes, pack.count * sizeof(CopySegment)));
  for (std::size_t i = 0; find.all() && i < pack.count; ++i) {
    const CopySegment& segment = table[i];
    const std::uint64_t first = std::max(segment.begin, begin);
    const std::uint64_t last = std::min(segment.begin + segment.bytes, end);
    if (first >= last) continue;
    const std::uint64_t skip = first - segment.begin;
    const std::byte* const source = find(segment.source + skip, last - first);
    const std::array destination = {find(segment.destination + skip, last - first)};
    if (find.all()) host_kernels().copy(source, destination, last - first);
  }
}

}  // namespace

Extent extent_of(const Work& work) {
  if (const auto* reduce = std::get_if<Reduce>(&work)) return {reduce->bytes, size_of(reduce->what.type)};
  if (const auto* cast = std::get_if<Cast>(&work)) return {cast->elements, 1};
  if (const auto* copy = std::get_if<Copy>(&work)) return {copy->bytes, 1};
  if (const auto* pack = std::get_if<CopySegments>(&work)) return {pack->total, 1};
  return {};
}

bool is_launch(const Work& work) {
  return extent_of(work).size > 0 || std::holds_alternative<UserKernel>(work) ||
         std::holds_alternative<std::shared_ptr<Task>>(work);
}

bool touches(const Work& work, const std::byte* address, std::size_t size) {
  const auto meets = [&](const std::byte* begin, std::size_t bytes) { return overlap(begin, bytes, address, size); };
  return std::visit(
      Overloaded{
          [](const Record&) { return false; }, [](const WaitEvent&) { return false; },
          [&](const WaitValue& wait) { return meets(bytes_of(wait.counter), word); },
          [&](const WriteValue& write) { return meets(bytes_of(write.counter), word); },
          [&](const Reduce& reduce) {
            const auto hit = [&](const std::byte* begin) { return meets(begin, reduce.bytes); };
            return std::ranges::any_of(reduce.sources, hit) || std::ranges::any_of(reduce.destinations, hit);
          },
          [&](const Cast& cast) {
            return meets(cast.source, cast.elements * size_of(cast.from)) ||
                   meets(cast.destination, cast.elements * size_of(cast.to));
          },
          [&](const Copy& copy) { return meets(copy.source, copy.bytes) || meets(copy.destination, copy.bytes); },
          [&](const CopySegments& pack) {
            return meets(reinterpret_cast<const std::byte*>(pack.table), pack.count * sizeof(CopySegment));
          },
          [](const UserKernel&) { return false; },
          [&](const std::shared_ptr<Task>& task) { return task->touches(address, size); }},
      work);
}

const char* name_of(const Work& work) {
  constexpr std::array names = {"record",
                                "wait for an event",
                                "wait for a value",
                                "write of a value",
                                "reduction",
                                "cast",
                                "copy",
                                "copy of segments",
                                "kernel of the user",
                                "task"};
  static_assert(names.size() == std::variant_size_v<Work>);
  return names[work.index()];
}

bool run_piece(const Work& work, std::uint64_t begin, std::uint64_t end, const Resolve& resolve, std::string& why) {
  Finder find(resolve, why);
  if (const auto* reduce = std::get_if<Reduce>(&work)) run(*reduce, begin, end, find);
  if (const auto* cast = std::get_if<Cast>(&work)) run(*cast, begin, end, find);
  if (const auto* copy = std::get_if<Copy>(&work)) run(*copy, begin, end, find);
  if (const auto* pack = std::get_if<CopySegments>(&work)) run(*pack, begin, end, find);
  return find.all();
}

}  // namespace treering::device::sim
