#include "device/sim/sim_device.h"

#include <sched.h>

#include <algorithm>
#include <atomic>

namespace treering::device::sim {

namespace {

const char* const unaligned = "a counter is not aligned to 8 bytes";

bool is_aligned(const std::uint64_t* counter) { return reinterpret_cast<std::uint64_t>(counter) % 8 == 0; }

bool is_apart(const Options& options, int a, int b) {
  return std::ranges::any_of(options.apart, [&](const std::pair<int, int>& pair) {
    return pair == std::pair(a, b) || pair == std::pair(b, a);
  });
}

}  // namespace

SimDevice::SimDevice(std::shared_ptr<Machine> machine, int ordinal) : machine_(std::move(machine)), ordinal_(ordinal) {
  info_.kind = DeviceKind::sim;
  info_.ordinal = ordinal;
  info_.name = "sim:" + std::to_string(ordinal);
  info_.id = std::to_string(machine_->number()) + ":" + std::to_string(ordinal);
}

Status SimDevice::prepare(const char* call) {
  Status status = machine_->check_preparing(call);
  return status.ok() ? machine_->error(ordinal_) : status;
}

Status SimDevice::allocate_locked(MemoryMap::Kind kind, std::size_t bytes, std::byte*& memory) {
  if (kind == MemoryMap::Kind::device &&
      bytes > machine_->options().memory - std::min(machine_->options().memory, machine_->memory().bytes_of(ordinal_)))
    return {StatusCode::unavailable,
            info_.name + " has not got " + std::to_string(bytes) + " bytes of free memory any more"};
  return machine_->memory().allocate(kind, ordinal_, bytes, memory);
}

Status SimDevice::allocate(std::size_t bytes, std::byte*& memory) {
  const MutexLock lock(machine_->mutex);
  Status status = prepare("allocate");
  return status.ok() ? allocate_locked(MemoryMap::Kind::device, bytes, memory) : status;
}

Status SimDevice::allocate_counters(std::size_t count, std::uint64_t*& counters) {
  const MutexLock lock(machine_->mutex);
  Status status = prepare("allocate_counters");
  std::byte* memory = nullptr;
  const std::size_t bytes = count * sizeof(std::uint64_t);
  if (status.ok()) status = allocate_locked(MemoryMap::Kind::device, bytes, memory);
  if (!status.ok()) return status;
  MemoryMap::Block* const block = machine_->memory().find(MemoryMap::Kind::device, ordinal_, memory);
  std::fill_n(block->file.bytes(), bytes, std::byte{0});
  counters = reinterpret_cast<std::uint64_t*>(memory);
  return {};
}

Status SimDevice::allocate_pinned(std::size_t bytes, std::byte*& memory) {
  const MutexLock lock(machine_->mutex);
  Status status = prepare("allocate_pinned");
  return status.ok() ? allocate_locked(MemoryMap::Kind::pinned, bytes, memory) : status;
}

Status SimDevice::remove(const char* call, MemoryMap::Kind kind, std::byte* memory) {
  // A broken device gives back what it holds.
  Status status = machine_->check_preparing(call);
  if (!status.ok()) return status;
  if (kind != MemoryMap::Kind::imported) status = machine_->check_standing(call, ordinal_);
  if (!status.ok()) return status;
  MemoryMap::Block* const block = machine_->memory().find(kind, ordinal_, memory);
  if (block == nullptr) return machine_->misuse(std::string(call) + " is called with an address that it never gave");
  if (block->opened > 1) {
    --block->opened;
    return {};
  }
  if (machine_->in_use(memory, block->size))
    return machine_->misuse(std::string(call) + " is called while work that was enqueued touches the memory");
  if (kind != MemoryMap::Kind::imported && block->file.importers() > 0)
    return machine_->misuse(std::string(call) + " is called while another process has the memory imported");
  machine_->memory().remove(*block);
  return {};
}

Status SimDevice::free(std::byte* memory) {
  const MutexLock lock(machine_->mutex);
  return remove("free", MemoryMap::Kind::device, memory);
}

Status SimDevice::free_pinned(std::byte* memory) {
  const MutexLock lock(machine_->mutex);
  return remove("free_pinned", MemoryMap::Kind::pinned, memory);
}

Status SimDevice::close_memory(std::byte* memory) {
  const MutexLock lock(machine_->mutex);
  return remove("close_memory", MemoryMap::Kind::imported, memory);
}

Status SimDevice::create_stream(Stream& stream) {
  const MutexLock lock(machine_->mutex);
  Status status = prepare("create_stream");
  if (status.ok()) stream = machine_->create_stream(ordinal_);
  return status;
}

Status SimDevice::destroy_stream(Stream stream) {
  const MutexLock lock(machine_->mutex);
  Status status = machine_->check_preparing("destroy_stream");
  return status.ok() ? machine_->destroy_stream(ordinal_, stream) : status;
}

Status SimDevice::create_event(Event& event) {
  const MutexLock lock(machine_->mutex);
  Status status = prepare("create_event");
  if (status.ok()) event = machine_->create_event(ordinal_);
  return status;
}

Status SimDevice::destroy_event(Event event) {
  const MutexLock lock(machine_->mutex);
  Status status = machine_->check_preparing("destroy_event");
  return status.ok() ? machine_->destroy_event(event) : status;
}

bool SimDevice::can_reach(const DeviceInfo& peer) const {
  if (peer.id == info_.id) return true;
  if (peer.kind != DeviceKind::sim || !machine_->options().peers) return false;
  return !is_apart(machine_->options(), ordinal_, peer.ordinal);
}

Status SimDevice::enable_peer(Device& peer) {
  const MutexLock lock(machine_->mutex);
  Status status = prepare("enable_peer");
  if (!status.ok()) return status;
  const auto* const other = dynamic_cast<const SimDevice*>(&peer);
  if (other == nullptr || other->machine_ != machine_)
    return machine_->misuse("peer access is enabled to a device of another process or kind");
  if (!can_reach(peer.info()))
    return {StatusCode::unavailable, info_.name + " has no peer access to " + peer.info().name};
  machine_->memory().allow(ordinal_, other->ordinal_);
  return {};
}

Status SimDevice::export_memory(const std::byte* memory, ExportedMemory& exported) {
  const MutexLock lock(machine_->mutex);
  Status status = prepare("export_memory");
  if (!status.ok()) return status;
  const MemoryMap::Block* const block = machine_->memory().find(MemoryMap::Kind::device, ordinal_, memory);
  if (block == nullptr) return machine_->misuse("export_memory is called with an address that allocate never gave");
  exported = block->file.exported();
  return {};
}

Status SimDevice::import_memory(const ExportedMemory& exported, std::byte*& memory) {
  const MutexLock lock(machine_->mutex);
  Status status = prepare("import_memory");
  if (!status.ok()) return status;
  if (!machine_->options().exports)
    return {StatusCode::unavailable, info_.name + " may not map memory of other processes"};
  return machine_->memory().import(ordinal_, exported, memory);
}

Status SimDevice::preload() {
  const MutexLock lock(machine_->mutex);
  return prepare("preload");
}

Status SimDevice::synchronize(Stream stream) {
  for (;;) {
    {
      const MutexLock lock(machine_->mutex);
      Status status = machine_->check_preparing("synchronize");
      if (!status.ok()) return status;
      const Progress found = machine_->query(ordinal_, stream);
      if (found == Progress::done) return {};
      if (found == Progress::failed) return machine_->error(ordinal_);
    }
    ::sched_yield();
  }
}

Status SimDevice::record(Event event, Stream stream) {
  const MutexLock lock(machine_->mutex);
  return machine_->record(ordinal_, event, stream);
}

Status SimDevice::wait(Stream stream, Event event) {
  const MutexLock lock(machine_->mutex);
  return machine_->wait(ordinal_, stream, event);
}

Status SimDevice::enqueue(Stream stream, Work work) {
  const MutexLock lock(machine_->mutex);
  return machine_->enqueue(ordinal_, stream, std::move(work));
}

Status SimDevice::write_value(Stream stream, std::uint64_t* counter, std::uint64_t value) {
  const MutexLock lock(machine_->mutex);
  if (!is_aligned(counter)) return machine_->misuse(unaligned);
  return machine_->enqueue(ordinal_, stream, WriteValue{counter, value});
}

Status SimDevice::wait_value(Stream stream, const std::uint64_t* counter, std::uint64_t value) {
  const MutexLock lock(machine_->mutex);
  if (!is_aligned(counter)) return machine_->misuse(unaligned);
  if (!machine_->memory().is_local(ordinal_, reinterpret_cast<const std::byte*>(counter)))
    return machine_->misuse("a stream waits for a counter that is neither on its device nor in pinned memory");
  return machine_->enqueue(ordinal_, stream, WaitValue{counter, value});
}

Status SimDevice::reduce(Stream stream, const Reduction& what, std::span<const std::byte* const> sources,
                         std::span<std::byte* const> destinations, std::size_t bytes) {
  if (sources.empty() || sources.size() > max_operands || destinations.empty() || destinations.size() > max_operands) {
    const MutexLock lock(machine_->mutex);
    return machine_->misuse("a reduction takes 1 to " + std::to_string(max_operands) + " sources and destinations");
  }
  return enqueue(stream,
                 Reduce{what, {sources.begin(), sources.end()}, {destinations.begin(), destinations.end()}, bytes});
}

Status SimDevice::cast(Stream stream, DataType from, const std::byte* source, DataType to, std::byte* destination,
                       std::size_t elements, double factor) {
  if (!is_floating(from) || !is_floating(to)) {
    const MutexLock lock(machine_->mutex);
    return machine_->misuse(std::string("a cast from ") + name_of(from) + " to " + name_of(to));
  }
  return enqueue(stream, Cast{from, to, source, destination, elements, factor});
}

Status SimDevice::copy(Stream stream, const std::byte* source, std::byte* destination, std::size_t bytes) {
  return enqueue(stream, Copy{source, destination, bytes});
}

Status SimDevice::copy_segments(Stream stream, const CopySegment* table, std::size_t count, std::uint64_t total) {
  return enqueue(stream, CopySegments{table, count, total});
}

Status SimDevice::launch(Stream stream, std::shared_ptr<Task> task) { return enqueue(stream, std::move(task)); }

Status SimDevice::locate(const std::byte* address, ExportedMemory& exported, std::uint64_t& offset) const {
  const MutexLock lock(machine_->mutex);
  const MemoryMap::Block* const block = machine_->memory().holder(address, offset);
  if (block == nullptr)
    return {StatusCode::invalid_argument, "an address lies in no memory of a device of this process"};
  exported = block->file.exported();
  return {};
}

Status SimDevice::launch(Stream stream, std::function<void()> kernel) {
  return enqueue(stream, UserKernel{std::move(kernel)});
}

Progress SimDevice::query(Event event) {
  const MutexLock lock(machine_->mutex);
  return machine_->query(event);
}

Progress SimDevice::query(Stream stream) {
  const MutexLock lock(machine_->mutex);
  return machine_->query(ordinal_, stream);
}

bool SimDevice::is_capturing(Stream stream) {
  const MutexLock lock(machine_->mutex);
  return machine_->is_capturing(ordinal_, stream);
}

Status SimDevice::error() {
  const MutexLock lock(machine_->mutex);
  return machine_->error(ordinal_);
}

bool SimDevice::progress() {
  const MutexLock lock(machine_->mutex);
  return machine_->run(1 + machine_->schedule().steps_after_question());
}

void SimDevice::enter_dispatch() {
  const MutexLock lock(machine_->mutex);
  machine_->enter_dispatch();
}

void SimDevice::leave_dispatch() {
  const MutexLock lock(machine_->mutex);
  machine_->leave_dispatch();
}

}  // namespace treering::device::sim
