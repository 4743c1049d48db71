// The part of a CudaDevice that prepares and ends: memory, streams, events, peers.

#include <algorithm>
#include <cstring>

#include "device/cuda/calls.cuh"

namespace treering::device {

namespace {

/// CUDA cuts smaller allocations out of common blocks, and other processes can map whole blocks only: with blocks of
/// its own, an allocation is shared with nobody who was not given it.
constexpr std::size_t block = std::size_t{2} << 20;

std::size_t whole_blocks(std::size_t bytes) { return std::max<std::size_t>((bytes + block - 1) / block, 1) * block; }

Status not_ours(const char* what) {
  return {StatusCode::invalid_argument, std::string(what) +
                                            ": not the beginning of memory that this process's CUDA "
                                            "devices have allocated"};
}

}  // namespace

static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(ExportedMemory::handle));

Status CudaDevice::allocate(std::size_t bytes, std::byte*& memory) {
  memory = nullptr;
  if (bytes > SIZE_MAX - block) return judged(cudaErrorMemoryAllocation, "allocate memory");
  void* allocated = nullptr;
  Status status = on_device("allocate " + std::to_string(bytes) + " bytes",
                            [&] { return cudaMalloc(&allocated, whole_blocks(bytes)); });
  if (!status.ok()) return status;
  memory = static_cast<std::byte*>(allocated);
  parts_.allocations->add(memory, bytes);
  return {};
}

Status CudaDevice::free(std::byte* memory) {
  if (memory == nullptr) return {};
  if (!parts_.allocations->remove(memory)) return not_ours("free");
  return on_device("free memory", [&] { return cudaFree(memory); });
}

Status CudaDevice::allocate_counters(std::size_t count, std::uint64_t*& counters) {
  counters = nullptr;
  std::byte* memory = nullptr;
  const std::size_t bytes = count * sizeof(std::uint64_t);
  if (Status status = allocate(bytes, memory); !status.ok()) return status;
  Status status = on_device("zero counters", [&] {
    // A stream of our own: the default one would wait for the user's work.
    cudaStream_t stream = nullptr;
    cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error != cudaSuccess) return error;
    error = cudaMemsetAsync(memory, 0, bytes, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    const cudaError_t destroyed = cudaStreamDestroy(stream);
    return error != cudaSuccess ? error : destroyed;
  });
  if (status.ok()) {
    counters = reinterpret_cast<std::uint64_t*>(memory);
  } else {
    static_cast<void>(free(memory));
  }
  return status;
}

Status CudaDevice::allocate_pinned(std::size_t bytes, std::byte*& memory) {
  memory = nullptr;
  void* allocated = nullptr;
  Status status = on_device("allocate " + std::to_string(bytes) + " bytes of pinned host memory", [&] {
    return cudaHostAlloc(&allocated, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable | cudaHostAllocMapped);
  });
  memory = static_cast<std::byte*>(allocated);
  return status;
}

Status CudaDevice::free_pinned(std::byte* memory) {
  if (memory == nullptr) return {};
  return on_device("free pinned memory", [&] { return cudaFreeHost(memory); });
}

Status CudaDevice::create_stream(Stream& stream) {
  cudaStream_t made = nullptr;
  Status status = on_device("create a stream", [&] { return cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking); });
  stream.handle = made;
  return status;
}

Status CudaDevice::destroy_stream(Stream stream) {
  return on_device("destroy a stream", [&] { return cudaStreamDestroy(native(stream)); });
}

Status CudaDevice::create_event(Event& event) {
  cudaEvent_t made = nullptr;
  Status status = on_device("create an event", [&] { return cudaEventCreateWithFlags(&made, cudaEventDisableTiming); });
  event.handle = made;
  return status;
}

Status CudaDevice::destroy_event(Event event) {
  return on_device("destroy an event", [&] { return cudaEventDestroy(native(event)); });
}

bool CudaDevice::can_reach(const DeviceInfo& peer) const {
  if (peer.kind != DeviceKind::cuda) return false;
  if (peer.id == parts_.info.id) return true;
  int ordinal = -1;
  int can = 0;
  const std::string bus_id = peer.id.substr(0, peer.id.find(' '));
  const bool known = cudaDeviceGetByPCIBusId(&ordinal, bus_id.c_str()) == cudaSuccess &&
                     cudaDeviceCanAccessPeer(&can, parts_.info.ordinal, ordinal) == cudaSuccess;
  if (!known) static_cast<void>(cudaGetLastError());
  return known && can != 0;
}

Status CudaDevice::enable_peer(Device& peer) {
  if (peer.info().kind != DeviceKind::cuda)
    return {StatusCode::invalid_argument, "a CUDA device reaches CUDA devices only"};
  if (peer.info().id == parts_.info.id) return {};
  return on_device("reach " + peer.info().id, [&] {
    const cudaError_t error = cudaDeviceEnablePeerAccess(peer.info().ordinal, 0);
    if (error != cudaErrorPeerAccessAlreadyEnabled) return error;
    static_cast<void>(cudaGetLastError());
    return cudaSuccess;
  });
}

Status CudaDevice::export_memory(const std::byte* memory, ExportedMemory& exported) {
  const auto allocation = parts_.allocations->find(memory);
  if (!allocation) return not_ours("export");
  cudaIpcMemHandle_t handle{};
  Status status =
      on_device("export memory", [&] { return cudaIpcGetMemHandle(&handle, const_cast<std::byte*>(memory)); });
  if (!status.ok()) return status;
  std::memcpy(exported.handle.data(), &handle, sizeof handle);
  exported.bytes = allocation->bytes;
  exported.generation = allocation->generation;
  parts_.allocations->note_export(memory, exported.handle);
  return {};
}

Status CudaDevice::import_memory(const ExportedMemory& exported, std::byte*& memory) {
  memory = nullptr;
  if (parts_.allocations->is_own(exported.handle))
    return {StatusCode::invalid_argument, "memory of this process cannot be imported; use its address"};
  const CudaImports::Key key{exported.handle, exported.generation};
  const std::lock_guard lock(imports_mutex_);
  memory = imports_.reuse(key);
  if (memory != nullptr) return {};
  cudaIpcMemHandle_t handle{};
  std::memcpy(&handle, exported.handle.data(), sizeof handle);
  void* mapped = nullptr;
  Status status = on_device("map another process's memory",
                            [&] { return cudaIpcOpenMemHandle(&mapped, handle, cudaIpcMemLazyEnablePeerAccess); });
  if (!status.ok()) return status;
  memory = static_cast<std::byte*>(mapped);
  imports_.add(key, memory);
  return {};
}

Status CudaDevice::close_memory(std::byte* memory) {
  const std::lock_guard lock(imports_mutex_);
  switch (imports_.release(memory)) {
    case CudaImports::Release::still_used: return {};
    case CudaImports::Release::last:
      return on_device("unmap another process's memory", [&] { return cudaIpcCloseMemHandle(memory); });
    case CudaImports::Release::unknown: break;
  }
  return {StatusCode::invalid_argument, "close: not memory that this device has imported"};
}

Status CudaDevice::preload() {
  if (broken_.load(std::memory_order_acquire)) return error();
  const CudaScope scope(parts_.driver, parts_.context);
  if (scope.code() != cudaSuccess) return judged(scope.code(), "work on its device");
  return judged(cuda_preload_kernels());
}

Status CudaDevice::synchronize(Stream stream) {
  return on_device("wait for a stream", [&] { return cudaStreamSynchronize(native(stream)); });
}

}  // namespace treering::device
