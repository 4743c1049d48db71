#include "transport/nccl/library.h"

#include <nccl.h>

#include <atomic>
#include <cstring>
#include <map>
#include <optional>
#include <thread>

#include "device/cuda/cuda_device.h"
#include "transport/nccl/version.h"

namespace treering::transport {

namespace {

static_assert(sizeof(ncclUniqueId) == sizeof(CommunicatorId));

ncclComm_t native(DeviceCommunicator communicator) { return static_cast<ncclComm_t>(communicator.handle); }

/// The one place that turns NCCL's codes into ours.
CallState state_of(ncclResult_t result) {
  switch (result) {
    case ncclSuccess: return CallState::success;
    case ncclInProgress: return CallState::in_progress;
    case ncclInvalidArgument: return CallState::invalid_argument;
    default: return CallState::failed;
  }
}

ncclDataType_t type_of(DataType type) {
  switch (type) {
    case DataType::u8:
    case DataType::boolean: return ncclUint8;
    case DataType::i8: return ncclInt8;
    case DataType::i32: return ncclInt32;
    case DataType::i64: return ncclInt64;
    case DataType::f16: return ncclFloat16;
    case DataType::bf16: return ncclBfloat16;
    case DataType::f32: return ncclFloat32;
    case DataType::f64: return ncclFloat64;
  }
  return ncclNumTypes;
}

/// Of booleans, which are 0 or 1, the sum is "or" and the product "and".
std::optional<ncclRedOp_t> op_of(DataType type, ReduceOp op) {
  const bool boolean = type == DataType::boolean;
  switch (op) {
    case ReduceOp::sum: return boolean ? ncclMax : ncclSum;
    case ReduceOp::product: return boolean ? ncclMin : ncclProd;
    case ReduceOp::min: return ncclMin;
    case ReduceOp::max: return ncclMax;
    case ReduceOp::average: break;
  }
  return std::nullopt;
}

class NcclLibrary final : public DeviceCollectives {
 public:
  Status draw_id(CommunicatorId& id) override;

  void begin_group() override { group_start_ = ncclGroupStart(); }
  CallState end_group() override;

  CallState create(const CommunicatorId& id, int rank, int size, device::Device& device, const std::string& name,
                   DeviceCommunicator& communicator) override;
  CallState all_reduce(DeviceCommunicator communicator, const std::byte* input, std::byte* output, std::size_t elements,
                       DataType type, ReduceOp op, device::Stream stream) override;
  CallState finalize(DeviceCommunicator communicator) override;
  CallState state(DeviceCommunicator communicator) override;
  std::string describe_error(DeviceCommunicator communicator) override;
  void destroy(DeviceCommunicator communicator) override;
  void begin_abort(DeviceCommunicator communicator) override;
  CallState abort_state(DeviceCommunicator communicator) override;

 private:
  using Verdict = std::atomic<CallState>;
  struct Entry {
    device::CudaDevice* device;
    std::shared_ptr<const std::string> name;  // NCCL keeps the pointer
  };

  device::CudaDevice* device_of(DeviceCommunicator communicator) const;

  ncclResult_t group_start_ = ncclSuccess;
  device::CudaDevice* last_device_ = nullptr;         // of a call in the group
  std::map<void*, Entry> entries_;                    // by communicator
  std::map<void*, std::shared_ptr<Verdict>> aborts_;  // shared with the thread that aborts
};

Status NcclLibrary::draw_id(CommunicatorId& id) {
  ncclUniqueId drawn{};
  const ncclResult_t result = ncclGetUniqueId(&drawn);
  if (result != ncclSuccess)
    return {StatusCode::unavailable, std::string("NCCL cannot name a communicator: ") + ncclGetErrorString(result) +
                                         " (" + ncclGetLastError(nullptr) + ")"};
  std::memcpy(id.bytes.data(), &drawn, sizeof drawn);
  return {};
}

/// NCCL goes from device to device and back to the one that was current, and would make a context there if there were
/// none: so one of the group's is.
CallState NcclLibrary::end_group() {
  std::optional<device::CudaScope> scope;
  if (last_device_ != nullptr) scope.emplace(last_device_->driver(), last_device_->context());
  last_device_ = nullptr;
  const ncclResult_t ended = ncclGroupEnd();
  return group_start_ != ncclSuccess ? CallState::failed : state_of(ended);
}

CallState NcclLibrary::create(const CommunicatorId& id, int rank, int size, device::Device& device,
                              const std::string& name, DeviceCommunicator& communicator) {
  auto* const cuda = dynamic_cast<device::CudaDevice*>(&device);
  if (cuda == nullptr) return CallState::invalid_argument;
  const device::CudaScope scope = cuda->make_current();
  if (scope.code() != 0) return CallState::failed;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  const auto kept_name = std::make_shared<const std::string>(name);
#if NCCL_VERSION_CODE >= 22700
  config.commName = kept_name->c_str();
#endif
  ncclUniqueId native_id{};
  std::memcpy(&native_id, id.bytes.data(), sizeof native_id);
  ncclComm_t made = nullptr;
  const ncclResult_t result = ncclCommInitRankConfig(&made, size, native_id, rank, &config);
  communicator.handle = made;
  if (made == nullptr) return result == ncclInvalidArgument ? CallState::invalid_argument : CallState::failed;
  entries_[made] = {cuda, kept_name};
  last_device_ = cuda;
  return state_of(result);
}

device::CudaDevice* NcclLibrary::device_of(DeviceCommunicator communicator) const {
  const auto found = entries_.find(communicator.handle);
  return found == entries_.end() ? nullptr : found->second.device;
}

CallState NcclLibrary::all_reduce(DeviceCommunicator communicator, const std::byte* input, std::byte* output,
                                  std::size_t elements, DataType type, ReduceOp op, device::Stream stream) {
  const std::optional<ncclRedOp_t> native_op = op_of(type, op);
  device::CudaDevice* const device = device_of(communicator);
  if (!native_op || device == nullptr) return CallState::invalid_argument;
  const device::CudaScope scope = device->make_current();
  if (scope.code() != 0) return CallState::failed;
  last_device_ = device;
  return state_of(ncclAllReduce(input, output, elements, type_of(type), *native_op, native(communicator),
                                static_cast<cudaStream_t>(stream.handle)));
}

CallState NcclLibrary::finalize(DeviceCommunicator communicator) {
  device::CudaDevice* const device = device_of(communicator);
  if (device == nullptr) return CallState::invalid_argument;
  const device::CudaScope scope = device->make_current();
  if (scope.code() != 0) return CallState::failed;
  return state_of(ncclCommFinalize(native(communicator)));
}

CallState NcclLibrary::state(DeviceCommunicator communicator) {
  ncclResult_t result = ncclSuccess;
  if (ncclCommGetAsyncError(native(communicator), &result) != ncclSuccess) return CallState::failed;
  // Whatever it was, it came later than the call whose argument it may have been.
  return result == ncclInvalidArgument ? CallState::failed : state_of(result);
}

std::string NcclLibrary::describe_error(DeviceCommunicator communicator) {
  ncclResult_t result = ncclSuccess;
  if (ncclCommGetAsyncError(native(communicator), &result) != ncclSuccess) return "NCCL does not say";
  return std::string(ncclGetErrorString(result)) + " (" + ncclGetLastError(native(communicator)) + ")";
}

void NcclLibrary::destroy(DeviceCommunicator communicator) {
  device::CudaDevice* const device = device_of(communicator);
  if (device == nullptr) return;
  const device::CudaScope scope = device->make_current();
  static_cast<void>(ncclCommDestroy(native(communicator)));
  entries_.erase(communicator.handle);
}

/// Aborting waits for kernels and for NCCL's own threads, perhaps for ever: on a thread that nobody waits for.
void NcclLibrary::begin_abort(DeviceCommunicator communicator) {
  auto verdict = std::make_shared<Verdict>(CallState::in_progress);
  if (!aborts_.try_emplace(communicator.handle, verdict).second) return;
  std::thread([communicator, verdict] {
    const ncclResult_t result = ncclCommAbort(native(communicator));
    verdict->store(result == ncclSuccess || result == ncclInProgress ? CallState::success : CallState::failed,
                   std::memory_order_release);
  }).detach();
}

CallState NcclLibrary::abort_state(DeviceCommunicator communicator) {
  const auto found = aborts_.find(communicator.handle);
  if (found == aborts_.end()) return CallState::invalid_argument;
  const CallState state = found->second->load(std::memory_order_acquire);
  if (state == CallState::in_progress) return state;
  aborts_.erase(found);
  entries_.erase(communicator.handle);
  return state;
}

}  // namespace

Status open_nccl(std::unique_ptr<DeviceCollectives>& library) {
  const NcclVersions versions = nccl_versions();
  if (versions.linked != versions.compiled)
    return {StatusCode::unavailable, "Treering was built with NCCL " + std::to_string(versions.compiled) +
                                         ", but finds NCCL " + std::to_string(versions.linked)};
  library = std::make_unique<NcclLibrary>();
  return {};
}

}  // namespace treering::transport
