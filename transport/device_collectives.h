#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "device/device.h"
#include "treering/status.h"

namespace treering::transport {

enum class CallState : std::uint8_t {
  success,
  in_progress,       ///< until `state` says otherwise, only `state` and `begin_abort` may be called for it
  invalid_argument,  ///< the call had no effect
  failed,            ///< the communicator is broken: only aborting is of use; `describe_error` says more
};

/// Names a communicator that is to be made: drawn by one member, known to all.
struct CommunicatorId {
  std::array<std::byte, 128> bytes{};
};

/// One member's end of a communicator; an ncclComm_t with NCCL.
struct DeviceCommunicator {
  void* handle = nullptr;
};

/// A library of collectives on devices (NCCL, or software that behaves like it), never blocking. A member is one
/// device of one process. All members make the same calls in the same order. Kernels of a collective wait on their
/// device until all members' have started, and another collective may find no room meanwhile: so the order of calls
/// must also agree between communicators that share devices.
///
/// Calls of one thread for several members of one communicator stand between `begin_group` and `end_group`, else the
/// first would wait for the second. Inside a group calls report only what is wrong with their arguments; what they have
/// begun is reported by `end_group`. **While a call is in progress its work may not be in the stream yet**: nothing is
/// enqueued behind it, no event recorded, before the state is success.
///
/// Errors that come after the launch (a dead peer, a broken network) are seen by `state` alone, and a peer that only
/// hangs by nobody: the work is never done. Deadlines are the caller's. One thread.
class DeviceCollectives {
 public:
  virtual ~DeviceCollectives() = default;

  virtual Status draw_id(CommunicatorId& id) = 0;

  virtual void begin_group() = 0;
  virtual CallState end_group() = 0;

  /// Collective. `communicator` can be asked for its state, and aborted, from now on, whatever comes back.
  virtual CallState create(const CommunicatorId& id, int rank, int size, device::Device& device,
                           const std::string& name, DeviceCommunicator& communicator) = 0;
  /// Not average. Booleans are 0 or 1. In place or without overlap; memory of the communicator's device. The rules of
  /// treering/types.h hold but for the order of operands and for NaN: sums and products need not have the canonical
  /// one, and min and max lose it where another operand is a number.
  virtual CallState all_reduce(DeviceCommunicator communicator, const std::byte* input, std::byte* output,
                               std::size_t elements, DataType type, ReduceOp op, device::Stream stream) = 0;
  /// Collective; no collective work is left when it is no longer in progress.
  virtual CallState finalize(DeviceCommunicator communicator) = 0;

  /// Goes on with what is in progress.
  virtual CallState state(DeviceCommunicator communicator) = 0;
  virtual std::string describe_error(DeviceCommunicator communicator) = 0;

  /// After finalize has succeeded; local. The handle is gone.
  virtual void destroy(DeviceCommunicator communicator) = 0;
  /// In any state; returns at once. Kernels on this device stop waiting. All members abort: one that does not may hold
  /// up the others.
  virtual void begin_abort(DeviceCommunicator communicator) = 0;
  /// Success: the handle is gone. In progress may last for ever; then the handle is left alone.
  virtual CallState abort_state(DeviceCommunicator communicator) = 0;
};

}  // namespace treering::transport
