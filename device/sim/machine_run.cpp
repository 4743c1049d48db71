#include <atomic>

#include "device/sim/machine.h"

namespace treering::device::sim {

Resolve Machine::resolver(int device) const {
  return [this, device](const std::byte* address, std::size_t size, std::string& why) {
    return memory_.resolve(device, address, size, why);
  };
}

bool Machine::is_reached(const WaitValue& wait, int device) const {
  const auto* const address = reinterpret_cast<const std::byte*>(wait.counter);
  std::string why;
  std::byte* const bytes = memory_.resolve(device, address, sizeof(std::uint64_t), why);
  if (bytes == nullptr) return true;  // runs, and breaks the device
  const std::uint64_t found = std::atomic_ref(*reinterpret_cast<std::uint64_t*>(bytes)).load();
  return static_cast<std::int64_t>(found - wait.value) >= 0;
}

bool Machine::can_run(const Queue& queue) const {
  if (queue.operations.empty() || !unit(queue.device).error.ok()) return false;
  const Operation& operation = queue.operations.front();
  if (operation.hung) return false;
  if (const auto* event = std::get_if<WaitEvent>(&operation.work)) return event->point->passed;
  if (const auto* value = std::get_if<WaitValue>(&operation.work)) return is_reached(*value, queue.device);
  return true;
}

bool Machine::run(std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i)
    if (!step()) return i > 0;
  return steps > 0;
}

bool Machine::step() {
  ready_.clear();
  priorities_.clear();
  for (auto& [number, queue] : streams_) {
    if (!can_run(queue)) continue;
    ready_.push_back(&queue);
    priorities_.push_back(queue.priority);
  }
  while (!ready_.empty()) {
    const std::size_t chosen = schedule_.choose(priorities_);
    Queue& queue = *ready_[chosen];
    std::string why;
    const Outcome outcome = execute(queue, queue.operations.front(), why);
    if (outcome == Outcome::failed) break_device(queue.device, queue.operations.front().work, why);
    if (outcome == Outcome::done) queue.operations.pop_front();
    if (queue.destroyed && queue.operations.empty())
      std::erase_if(streams_, [&](const auto& entry) { return &entry.second == &queue; });
    if (outcome != Outcome::blocked) return true;
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen));
    priorities_.erase(priorities_.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  return false;
}

Outcome Machine::execute(Queue& queue, Operation& operation, std::string& why) {
  if (operation.broken) {
    why = "an error that cannot be corrected (a fault on purpose)";
    return Outcome::failed;
  }
  if (const auto* record = std::get_if<Record>(&operation.work)) {
    record->point->passed = true;
    return Outcome::done;
  }
  if (std::holds_alternative<WaitEvent>(operation.work)) return Outcome::done;
  if (const auto* wait = std::get_if<WaitValue>(&operation.work)) {
    const auto* const address = reinterpret_cast<const std::byte*>(wait->counter);
    return memory_.resolve(queue.device, address, sizeof(std::uint64_t), why) != nullptr ? Outcome::done
                                                                                         : Outcome::failed;
  }
  if (const auto* write = std::get_if<WriteValue>(&operation.work)) {
    auto* const address = reinterpret_cast<const std::byte*>(write->counter);
    std::byte* const bytes = memory_.resolve(queue.device, address, sizeof(std::uint64_t), why);
    if (bytes == nullptr) return Outcome::failed;
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(bytes)).store(write->value);
    return Outcome::done;
  }
  if (const auto* kernel = std::get_if<UserKernel>(&operation.work)) {
    memory_.expose(queue.device, true);
    kernel->run();
    memory_.expose(queue.device, false);
    return Outcome::done;
  }
  if (std::holds_alternative<std::shared_ptr<Task>>(operation.work)) return run_task(queue, operation, why);
  return run_kernel(queue, operation, why);
}

Outcome Machine::run_kernel(Queue& queue, Operation& operation, std::string& why) {
  const Extent extent = extent_of(operation.work);
  if (operation.done < extent.size) {
    const std::uint64_t end = schedule_.piece_end(operation.done, extent.size, extent.unit);
    if (!run_piece(operation.work, operation.done, end, resolver(queue.device), why)) return Outcome::failed;
    operation.done = end;
  }
  return operation.done < extent.size ? Outcome::moved : Outcome::done;
}

Outcome Machine::run_task(Queue& queue, Operation& operation, std::string& why) {
  Task& task = *std::get<std::shared_ptr<Task>>(operation.work);
  Unit& here = unit(queue.device);
  const bool enters = task.resides() && !operation.resident;
  if (enters && here.residents >= options_.resident) return Outcome::blocked;
  if (enters) {
    operation.resident = true;
    ++here.residents;
  }
  const Outcome outcome = task.step(resolver(queue.device), why);
  if (operation.resident && (outcome == Outcome::done || outcome == Outcome::failed)) --here.residents;
  // Having taken a place is a step, whatever the task says.
  return enters && outcome == Outcome::blocked ? Outcome::moved : outcome;
}

void Machine::break_device(int device, const Work& work, const std::string& why) {
  std::string text = "device sim:" + std::to_string(device) + " broke: a " + name_of(work) + " met " + why;
  unit(device).error = {StatusCode::internal, std::move(text)};
}

std::string Machine::dump() const {
  std::string text;
  for (const auto& [number, queue] : streams_) {
    if (queue.operations.empty()) continue;
    const Operation& operation = queue.operations.front();
    text += "sim:" + std::to_string(queue.device) + " stream " + std::to_string(number) + ": " +
            std::to_string(queue.operations.size()) + " left, stands at a " + name_of(operation.work);
    if (operation.hung) text += " that hangs";
    if (const auto* wait = std::get_if<WaitValue>(&operation.work))
      text += " (at least " + std::to_string(wait->value) + ")";
    text += "\n";
  }
  return text;
}

}  // namespace treering::device::sim
