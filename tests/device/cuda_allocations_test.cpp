#include <doctest/doctest.h>

#include <set>

#include "device/cuda/allocations.h"

using namespace treering::device;

namespace {

CudaAllocations::Handle handle_of(int number) {
  CudaAllocations::Handle handle{};
  handle[63] = static_cast<std::byte>(number);
  return handle;
}

}  // namespace

TEST_CASE("allocations: only whole ones are known, and each has a number of its own") {
  std::byte memory[4096];
  CudaAllocations first;
  CudaAllocations second;
  std::set<std::uint64_t> generations;
  for (int round = 0; round < 10; ++round)
    for (CudaAllocations* allocations : {&first, &second}) {
      allocations->add(memory, 100);  // the same address again and again, as CUDA gives it
      const auto found = allocations->find(memory);
      REQUIRE(found.has_value());
      CHECK(found->bytes == 100);
      CHECK(generations.insert(found->generation).second);
      CHECK_FALSE(allocations->find(memory + 1).has_value());
      CHECK_FALSE(allocations->remove(memory + 1));
      CHECK(allocations->remove(memory));
      CHECK_FALSE(allocations->remove(memory));
      CHECK_FALSE(allocations->find(memory).has_value());
    }
}

TEST_CASE("allocations: handles are known as our own while the memory lives") {
  std::byte memory[2];
  CudaAllocations allocations;
  allocations.add(&memory[0], 1);
  allocations.add(&memory[1], 1);
  allocations.note_export(&memory[0], handle_of(7));
  allocations.note_export(&memory[1], handle_of(8));
  CHECK(allocations.is_own(handle_of(7)));
  CHECK(allocations.is_own(handle_of(8)));
  CHECK_FALSE(allocations.is_own(handle_of(9)));
  CHECK(allocations.remove(&memory[0]));
  CHECK_FALSE(allocations.is_own(handle_of(7)));
  CHECK(allocations.is_own(handle_of(8)));
}

TEST_CASE("imports: mapped once, counted, unmapped at the last release") {
  std::byte memory[2];
  CudaImports imports;
  const CudaImports::Key key{handle_of(1), 5};
  CHECK(imports.reuse(key) == nullptr);
  imports.add(key, &memory[0]);
  CHECK(imports.reuse(key) == &memory[0]);
  CHECK(imports.reuse({handle_of(1), 6}) == nullptr);  // another allocation with the same handle
  CHECK(imports.release(&memory[1]) == CudaImports::Release::unknown);
  CHECK(imports.release(&memory[0]) == CudaImports::Release::still_used);
  CHECK(imports.release(&memory[0]) == CudaImports::Release::last);
  CHECK(imports.release(&memory[0]) == CudaImports::Release::unknown);
  CHECK(imports.reuse(key) == nullptr);
}
