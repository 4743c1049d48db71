#include "device/cuda/allocations.h"

#include <algorithm>
#include <random>

namespace treering::device {

namespace {

/// Several engines of a process have several of us, which must not give the same numbers.
std::uint64_t somewhere() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

}  // namespace

CudaAllocations::CudaAllocations() : next_generation_(somewhere()) {}

void CudaAllocations::add(const std::byte* memory, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  entries_[memory] = {{bytes, next_generation_++}, {}};
}

bool CudaAllocations::remove(const std::byte* memory) {
  const std::lock_guard lock(mutex_);
  return entries_.erase(memory) > 0;
}

std::optional<CudaAllocations::Allocation> CudaAllocations::find(const std::byte* memory) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(memory);
  return found == entries_.end() ? std::nullopt : std::optional(found->second.allocation);
}

void CudaAllocations::note_export(const std::byte* memory, const Handle& handle) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(memory);
  if (found != entries_.end()) found->second.handles.insert(handle);
}

bool CudaAllocations::is_own(const Handle& handle) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(entries_, [&](const auto& entry) { return entry.second.handles.contains(handle); });
}

std::byte* CudaImports::reuse(const Key& key) {
  const auto found = mapped_.find(key);
  if (found == mapped_.end()) return nullptr;
  ++found->second.uses;
  return found->second.memory;
}

void CudaImports::add(const Key& key, std::byte* memory) { mapped_[key] = {memory, 1}; }

CudaImports::Release CudaImports::release(const std::byte* memory) {
  const auto found = std::ranges::find_if(mapped_, [&](const auto& entry) { return entry.second.memory == memory; });
  if (found == mapped_.end()) return Release::unknown;
  if (--found->second.uses > 0) return Release::still_used;
  mapped_.erase(found);
  return Release::last;
}

}  // namespace treering::device
