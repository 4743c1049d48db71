#include "device/sim/memory_map.h"

#include <algorithm>

namespace treering::device::sim {

namespace {

std::string device_text(int device) { return "device " + std::to_string(device); }

}  // namespace

Status MemoryMap::allocate(Kind kind, int device, std::size_t size, std::byte*& address) {
  Block block;
  block.kind = kind;
  block.device = device;
  block.size = std::max<std::size_t>(size, 1);
  Status status = MemoryFile::create(block.size, kind == Kind::pinned, owner_, ++generation_, block.file);
  if (!status.ok()) return status;
  address = block.file.address();
  blocks_.insert_or_assign(address, std::move(block));
  return {};
}

Status MemoryMap::import(int device, const ExportedMemory& exported, std::byte*& address) {
  for (auto& [begin, block] : blocks_) {
    if (block.freed || block.kind != Kind::imported || block.device != device) continue;
    if (block.source.handle != exported.handle || block.source.generation != exported.generation) continue;
    ++block.opened;
    address = block.file.address();
    return {};
  }
  Block block;
  block.kind = Kind::imported;
  block.device = device;
  block.size = exported.bytes;
  block.source = exported;
  Status status = MemoryFile::open(exported, owner_, block.file);
  if (!status.ok()) return status;
  address = block.file.address();
  blocks_.insert_or_assign(address, std::move(block));
  return {};
}

MemoryMap::Block* MemoryMap::find(Kind kind, int device, const std::byte* address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end() || found->second.freed || found->second.kind != kind) return nullptr;
  return kind == Kind::pinned || found->second.device == device ? &found->second : nullptr;
}

void MemoryMap::remove(Block& block) {
  if (block.kind != Kind::imported) block.file.header().freed.store(1);
  block.freed = true;
  block.file.release();
}

const MemoryMap::Block* MemoryMap::at(const std::byte* address) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  --after;
  return address < after->first + after->second.size ? &after->second : nullptr;
}

std::byte* MemoryMap::resolve(int device, const std::byte* address, std::size_t size, std::string& why) const {
  const Block* const block = at(address);
  if (block == nullptr) {
    why = "no memory that a device knows";
  } else if (block->freed) {
    why = "freed memory";
  } else if (const auto offset = static_cast<std::size_t>(address - block->file.address());
             size > block->size - offset) {
    why = "more than was allocated there (" + std::to_string(block->size) + " bytes)";
  } else if (block->kind == Kind::imported && block->device != device) {
    why = "memory that only " + device_text(block->device) + " has imported";
  } else if (block->kind == Kind::imported && block->file.header().freed != 0) {
    why = "imported memory that its owner has freed";
  } else if (block->kind == Kind::device && block->device != device && !reach_.contains({device, block->device})) {
    why = "memory of " + device_text(block->device) + " without peer access";
  } else {
    return block->file.bytes() + offset;
  }
  return nullptr;
}

void MemoryMap::expose(int device, bool exposed) {
  for (auto& [begin, block] : blocks_) {
    if (block.freed) continue;
    if (block.device == device || (block.kind == Kind::device && reach_.contains({device, block.device})))
      block.file.expose(exposed);
  }
}

const MemoryMap::Block* MemoryMap::holder(const std::byte* address, std::uint64_t& offset) const {
  const Block* const block = at(address);
  if (block == nullptr || block->freed || block->kind != Kind::device) return nullptr;
  offset = static_cast<std::uint64_t>(address - block->file.address());
  return block;
}

bool MemoryMap::is_local(int device, const std::byte* address) const {
  const Block* const block = at(address);
  if (block == nullptr || block->freed) return false;
  return block->kind == Kind::pinned || (block->kind == Kind::device && block->device == device);
}

std::size_t MemoryMap::bytes_of(int device) const {
  std::size_t sum = 0;
  for (const auto& [begin, block] : blocks_)
    if (!block.freed && block.kind == Kind::device && block.device == device) sum += block.size;
  return sum;
}

}  // namespace treering::device::sim
