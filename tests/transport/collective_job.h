#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "device/sim/devices.h"
#include "transport/nccl/communicators.h"
#include "transport/sim/collectives.h"

namespace treering::transport::tests {

/// Processes with software devices and software collectives, all driven by one thread. Device d of every process is a
/// member of "flat", which all devices share, and of "cross d"; its communicators have the numbers d and devices + d.
class CollectiveJob {
 public:
  struct Process {
    std::vector<std::unique_ptr<device::Device>> devices;
    std::unique_ptr<sim::Collectives> library;
    std::unique_ptr<Communicators> communicators;
    std::vector<device::Stream> flat;   // per device
    std::vector<device::Stream> cross;  // per device
  };

  /// `absent`: a process that never creates its communicators, or -1. `tailor` may inject faults before that.
  CollectiveJob(int processes, int devices, std::uint64_t seed, const CollectiveDeadlines& deadlines = {},
                int absent = -1, const std::function<void(CollectiveJob&)>& tailor = {});

  Process& process(int index) { return processes_[static_cast<std::size_t>(index)]; }
  int processes() const { return static_cast<int>(processes_.size()); }
  int devices() const { return devices_; }
  ManualClock& clock() { return clock_; }

  /// Everybody goes on, and 20 us pass, until `done` or so many rounds; returns done().
  bool until(const std::function<bool()>& done, int rounds = 20000);
  bool all_in(Communicators::Phase phase);

  std::byte* allocate(device::Device& device, std::size_t bytes);
  void write(device::Device& device, std::byte* memory, const std::vector<std::int32_t>& values);
  std::vector<std::int32_t> read(device::Device& device, const std::byte* memory, std::size_t count);
  /// Misuse of devices and libraries, in words.
  std::vector<std::string> misuses();

 private:
  std::vector<CommunicatorSpec> specs_of(int index, const CommunicatorId& flat,
                                         const std::vector<CommunicatorId>& cross);

  int devices_;
  ManualClock clock_;
  std::vector<Process> processes_;
};

}  // namespace treering::transport::tests
