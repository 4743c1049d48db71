#include "engine/heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace treering {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t page = 4096;

std::size_t rounded(std::size_t bytes) {
  const std::size_t unit = bytes >= page ? page : line;
  return std::max(line, (bytes + unit - 1) / unit * unit);
}

/// Whole pages inside [begin, end) are given back; the kernel returns zeroes there.
void give_back(std::byte* begin, std::byte* end) {
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
  const auto last = reinterpret_cast<std::uintptr_t>(end) / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_REMOVE);
}

}  // namespace

Heap::Heap(std::byte* base, std::size_t bytes, std::shared_ptr<void> owner) : base_(base), owner_(std::move(owner)) {
  if (bytes > 0) free_.emplace(0, bytes / page * page);
}

std::shared_ptr<void> Heap::allocate(const std::shared_ptr<Heap>& heap, std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  const std::size_t unit = size >= page ? page : line;
  std::size_t offset = 0;
  std::size_t dirty = 0;
  {
    const std::lock_guard lock(heap->mutex_);
    const auto begin_in = [&](std::size_t at) { return (at + unit - 1) / unit * unit; };
    const auto found = std::ranges::find_if(heap->free_, [&](const auto& hole) {
      const std::size_t skip = begin_in(hole.first) - hole.first;
      return hole.second >= skip && hole.second - skip >= size;
    });
    if (found == heap->free_.end()) return nullptr;
    const auto [hole, length] = *found;
    offset = begin_in(hole);
    heap->free_.erase(found);
    if (offset > hole) heap->free_.emplace(hole, offset - hole);
    if (hole + length > offset + size) heap->free_.emplace(offset + size, hole + length - offset - size);
    dirty = offset < heap->touched_ ? std::min(size, heap->touched_ - offset) : 0;
    heap->touched_ = std::max(heap->touched_, offset + size);
    heap->used_ += size;
  }
  std::byte* const memory = heap->base_ + offset;
  if (dirty > 0) std::memset(memory, 0, dirty);
  return {memory, [heap, offset, size](void*) { heap->release(offset, size); }};
}

void Heap::release(std::size_t offset, std::size_t bytes) {
  give_back(base_ + offset, base_ + offset + bytes);
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
  auto [hole, inserted] = free_.emplace(offset, bytes);
  if (const auto next = std::next(hole); next != free_.end() && hole->first + hole->second == next->first) {
    hole->second += next->second;
    free_.erase(next);
  }
  if (hole != free_.begin()) {
    const auto before = std::prev(hole);
    if (before->first + before->second == hole->first) {
      before->second += hole->second;
      free_.erase(hole);
    }
  }
}

std::size_t Heap::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

}  // namespace treering
