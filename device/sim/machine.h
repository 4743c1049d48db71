#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "device/device.h"
#include "device/sim/memory_map.h"
#include "device/sim/options.h"
#include "device/sim/schedule.h"
#include "device/sim/work.h"

namespace treering::device::sim {

/// The software devices of one process: their memory, streams and events, and what makes them run. Nothing runs by
/// itself: every call and every question may make a few steps, each of one stream, chosen by the schedule. So one
/// thread and one seed always give the same run.
///
/// All members want `mutex` held.
class Machine {
 public:
  Mutex mutex;

  explicit Machine(const Options& options);

  const Options& options() const { return options_; }
  std::uint64_t number() const { return number_; }
  MemoryMap& memory() { return memory_; }
  Schedule& schedule() { return schedule_; }

  // -- handles: numbers that are never used again, so that a stale one is noticed
  Stream create_stream(int device);
  Status destroy_stream(int device, Stream stream);
  Event create_event(int device);
  Status destroy_event(Event event);

  // -- work
  Status enqueue(int device, Stream stream, Work work);
  Status record(int device, Event event, Stream stream);
  Status wait(int device, Stream stream, Event event);
  Progress query(Event event);
  Progress query(int device, Stream stream);
  /// Null for the default stream of the device; unknown streams and those of other devices are misuse.
  Status check_stream(int device, Stream stream);
  bool is_capturing(int device, Stream stream);
  void set_capturing(int device, Stream stream, bool capturing);
  /// Whether work that has not ended touches these bytes.
  bool in_use(const std::byte* address, std::size_t size) const;

  // -- running
  /// At most so many steps; true if one was made.
  bool run(std::size_t steps);
  Status error(int device) const { return units_[static_cast<std::size_t>(device)].error; }
  void inject(int device, Fault fault) { units_[static_cast<std::size_t>(device)].faults.push_back(fault); }
  /// Every stream with work left, and the work that it stands at.
  std::string dump() const;

  // -- rules
  /// Notes a misuse and makes a Status of it.
  Status misuse(std::string what);
  const std::vector<std::string>& misuses() const { return misuses_; }
  void enter_dispatch();
  void leave_dispatch();
  /// Misuse if a stream of the device stands at a counter, and the calling thread is the one that uses it: giving back
  /// memory waits for the device.
  Status check_standing(const char* call, int device);
  /// Misuse if the calling thread is in a dispatch section.
  Status check_preparing(const char* call);

 private:
  struct Queue {
    int device = 0;
    std::deque<Operation> operations;
    std::uint32_t priority = 0;
    std::thread::id user;  // who enqueued last
    bool destroyed = false;
    bool capturing = false;
  };
  struct EventState {
    int device = 0;
    std::shared_ptr<Point> point;  // null until recorded
  };
  struct Unit {
    Status error;
    std::vector<Fault> faults;
    std::uint64_t launches = 0;
    int residents = 0;
  };

  Queue* find(int device, Stream stream);
  Unit& unit(int device) { return units_[static_cast<std::size_t>(device)]; }
  const Unit& unit(int device) const { return units_[static_cast<std::size_t>(device)]; }
  bool refused_by_fault(int device, Operation& operation, Status& status);
  bool can_run(const Queue& queue) const;
  bool step();
  Outcome execute(Queue& queue, Operation& operation, std::string& why);
  Outcome run_kernel(Queue& queue, Operation& operation, std::string& why);
  Outcome run_task(Queue& queue, Operation& operation, std::string& why);
  bool is_reached(const WaitValue& wait, int device) const;
  void break_device(int device, const Work& work, const std::string& why);
  Resolve resolver(int device) const;

  Options options_;
  std::uint64_t number_;
  Schedule schedule_;
  MemoryMap memory_;
  std::vector<Unit> units_;
  std::map<std::uint64_t, Queue> streams_;
  std::map<std::uint64_t, EventState> events_;
  std::uint64_t last_handle_ = 0;
  std::vector<std::string> misuses_;
  std::map<std::thread::id, int> dispatching_;
  std::vector<Queue*> ready_;              // of one step
  std::vector<std::uint32_t> priorities_;  // of one step
};

}  // namespace treering::device::sim
