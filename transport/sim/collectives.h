#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "transport/device_collectives.h"
#include "transport/sim/all_reduce_task.h"

namespace treering::transport::sim {

/// What goes wrong on purpose, for tests, on communicators of that name.
struct CollectiveFault {
  enum class Kind : std::uint8_t {
    refused,        ///< that call of `all_reduce` fails
    late,           ///< it succeeds, `state` fails after some questions, and the work is never done
    endless_abort,  ///< aborting never ends
  };
  Kind kind = Kind::refused;
  std::string communicator;
  std::uint64_t at = 0;  ///< calls of `all_reduce` before it
};

/// Collectives of software devices, of one process or several, as strict as NCCL's and as hard to use: calls stay in
/// progress for a number of questions drawn from the seed and only then enqueue their work; creation waits for all
/// members, the first collective for all members' calls, aborting for all living members. Members that call different
/// things break the communicator, where NCCL would hang.
class Collectives final : public DeviceCollectives {
 public:
  explicit Collectives(std::uint64_t seed) : random_(seed) {}
  ~Collectives() override;

  Status draw_id(CommunicatorId& id) override;
  void begin_group() override;
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

  void inject(CollectiveFault fault) { faults_.push_back(std::move(fault)); }
  /// What was called against the rules, in words.
  const std::vector<std::string>& misuses() const { return misuses_; }
  /// Communicators that exist.
  std::size_t living() const { return members_.size(); }

 private:
  enum class Step : std::uint8_t { idle, creating, calling, finalizing, finalized, aborting };
  struct Member {
    std::shared_ptr<Membership> group;
    Step step = Step::idle;
    std::uint64_t patience = 0;  // questions that are answered with "in progress" whatever happens
    std::uint64_t calls = 0;
    AllReduce call;
    device::Stream stream;
    bool failed = false;
    bool connected = false;
    std::uint64_t late = 0;  // questions until a fault shows; 0: none
    std::string error;
  };

  Member* find(DeviceCommunicator communicator, const char* call);
  CallState begin(DeviceCommunicator communicator, Member& member, Step step);
  CallState refuse(std::string what);
  CallState advance(Member& member);
  CallState launch(Member& member);
  CallState fail(Member& member, std::string why);
  bool has_fault(const Member& member, CollectiveFault::Kind kind, std::uint64_t at) const;

  std::mt19937_64 random_;
  std::map<std::uint64_t, Member> members_;
  std::vector<Board> drawn_;
  std::vector<CollectiveFault> faults_;
  std::vector<std::string> misuses_;
  std::vector<DeviceCommunicator> grouped_;
  CallState group_error_ = CallState::success;
  int group_depth_ = 0;
  std::uint64_t last_handle_ = 0;
};

}  // namespace treering::transport::sim
