#include <doctest/doctest.h>

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <random>

#include "engine/heap.h"

using treering::Heap;

namespace {

constexpr std::size_t region_bytes = 1 << 20;

std::shared_ptr<void> map_region() {
  void* const memory = mmap(nullptr, region_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  return {memory, [](void* what) { munmap(what, region_bytes); }};
}

}  // namespace

TEST_CASE("Heap: pieces never overlap, are aligned and zeroed, and come back") {
  const auto region = map_region();
  const auto heap = std::make_shared<Heap>(static_cast<std::byte*>(region.get()), region_bytes, region);
  std::mt19937 random(3);
  std::map<int, std::pair<std::shared_ptr<void>, std::size_t>> live;
  for (int i = 0; i < 3000; ++i) {
    if (live.size() > 12 || (!live.empty() && random() % 3 == 0)) {
      auto victim = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      const auto& [memory, bytes] = victim->second;
      for (std::size_t at = 0; at < bytes; ++at)
        REQUIRE(static_cast<unsigned char*>(memory.get())[at] == static_cast<unsigned char>(victim->first | 1));
      live.erase(victim);
    } else {
      const std::size_t bytes = random() % 4 == 0 ? 1 + random() % 60'000 : 1 + random() % 300;
      auto memory = Heap::allocate(heap, bytes);
      REQUIRE(memory);
      CHECK(reinterpret_cast<std::uintptr_t>(memory.get()) % 64 == 0);
      for (std::size_t at = 0; at < bytes; ++at) REQUIRE(static_cast<unsigned char*>(memory.get())[at] == 0);
      std::memset(memory.get(), (i | 1) & 0xff, bytes);
      live.emplace(i & 0xff, std::pair{memory, bytes}).second ? void() : live.clear();
    }
  }
  live.clear();
  CHECK(heap->used() == 0);
  CHECK(Heap::allocate(heap, region_bytes) != nullptr);  // everything has grown together again
}

TEST_CASE("Heap: too large gives null, and zero bytes give memory") {
  const auto region = map_region();
  const auto heap = std::make_shared<Heap>(static_cast<std::byte*>(region.get()), region_bytes, region);
  CHECK(Heap::allocate(heap, region_bytes + 1) == nullptr);
  CHECK(Heap::allocate(heap, 0) != nullptr);
}

TEST_CASE("Heap: pieces keep the mapping alive") {
  std::weak_ptr<void> watched;
  std::shared_ptr<void> piece;
  {
    auto region = map_region();
    watched = region;
    const auto heap = std::make_shared<Heap>(static_cast<std::byte*>(region.get()), region_bytes, region);
    piece = Heap::allocate(heap, 100);
  }
  CHECK(!watched.expired());
  piece.reset();
  CHECK(watched.expired());
}
