#include "device/sim/machine.h"

#include <algorithm>
#include <bit>
#include <random>

namespace treering::device::sim {

namespace {

std::uint64_t number_of(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }
/// A number in the clothes of a pointer, which nobody follows.
void* handle_of(std::uint64_t number) { return std::bit_cast<void*>(number); }

/// Equal for no two machines, in whatever process.
std::uint64_t draw_number() {
  std::random_device random;
  return static_cast<std::uint64_t>(random()) << 32 | random();
}

}  // namespace

Machine::Machine(const Options& options)
    : options_(options),
      number_(draw_number()),
      schedule_(options.seed),
      memory_(number_),
      units_(static_cast<std::size_t>(options.count)) {
  last_handle_ = units_.size();
  // Handle null means the device's default stream, which is kept at a small number.
  for (int device = 0; device < options.count; ++device) {
    Queue& queue = streams_[static_cast<std::uint64_t>(device) + 1];
    queue.device = device;
    queue.priority = schedule_.priority();
  }
}

Stream Machine::create_stream(int device) {
  Queue& queue = streams_[++last_handle_];
  queue.device = device;
  queue.priority = schedule_.priority();
  return {handle_of(last_handle_)};
}

Machine::Queue* Machine::find(int device, Stream stream) {
  const bool is_default = stream.handle == nullptr;
  const auto found = streams_.find(is_default ? static_cast<std::uint64_t>(device) + 1 : number_of(stream.handle));
  if (found == streams_.end() || found->second.destroyed || found->second.device != device) return nullptr;
  return &found->second;
}

Status Machine::check_stream(int device, Stream stream) {
  if (find(device, stream) != nullptr) return {};
  const auto other = streams_.find(number_of(stream.handle));
  return misuse(other != streams_.end() && !other->second.destroyed
                    ? "a stream of device " + std::to_string(other->second.device) + " is used on device " +
                          std::to_string(device)
                    : "a stream is used that does not exist (any more)");
}

Status Machine::destroy_stream(int device, Stream stream) {
  Status status = check_stream(device, stream);
  if (!status.ok()) return status;
  if (stream.handle == nullptr) return misuse("the default stream is destroyed");
  Queue* const queue = find(device, stream);
  queue->destroyed = true;
  if (queue->operations.empty()) streams_.erase(number_of(stream.handle));
  return {};
}

Event Machine::create_event(int device) {
  events_[++last_handle_].device = device;
  return {handle_of(last_handle_)};
}

Status Machine::destroy_event(Event event) {
  if (events_.erase(number_of(event.handle)) == 0)
    return misuse("an event is destroyed that does not exist (any more)");
  return {};
}

Status Machine::enqueue(int device, Stream stream, Work work) {
  if (!unit(device).error.ok()) return unit(device).error;
  Status status = check_stream(device, stream);
  if (!status.ok()) return status;
  Queue& queue = *find(device, stream);
  if (queue.capturing) return misuse("work is enqueued to a stream that is being captured");
  Operation operation;
  operation.work = std::move(work);
  if (refused_by_fault(device, operation, status)) return status;
  queue.operations.push_back(std::move(operation));
  queue.user = std::this_thread::get_id();
  if (schedule_.reshuffle())
    for (auto& [number, other] : streams_) other.priority = schedule_.priority();
  run(schedule_.steps_after_enqueue());
  return {};
}

bool Machine::refused_by_fault(int device, Operation& operation, Status& status) {
  if (!is_launch(operation.work)) return false;
  const std::uint64_t launch = unit(device).launches++;
  for (const Fault& fault : unit(device).faults) {
    if (fault.at != launch) continue;
    operation.broken = fault.kind == FaultKind::broken;
    operation.hung = fault.kind == FaultKind::hang;
    if (fault.kind != FaultKind::launch) continue;
    status = {StatusCode::internal, std::string("device ") + std::to_string(device) + " refuses to launch a " +
                                        name_of(operation.work) + " (a fault on purpose)"};
    return true;
  }
  return false;
}

Status Machine::record(int device, Event event, Stream stream) {
  const auto found = events_.find(number_of(event.handle));
  if (found == events_.end()) return misuse("an event is recorded that does not exist (any more)");
  if (found->second.device != device) return misuse("an event of another device is recorded");
  const auto point = std::make_shared<Point>();
  Status status = enqueue(device, stream, Record{point});
  // The work may have removed what lay in the map, but not the event.
  if (status.ok()) found->second.point = point;
  return status;
}

Status Machine::wait(int device, Stream stream, Event event) {
  const auto found = events_.find(number_of(event.handle));
  if (found == events_.end()) return misuse("a stream waits for an event that does not exist (any more)");
  Status status = check_stream(device, stream);
  if (!status.ok() || found->second.point == nullptr) return status;
  return enqueue(device, stream, WaitEvent{found->second.point});
}

Progress Machine::query(Event event) {
  run(schedule_.steps_after_question());
  const auto found = events_.find(number_of(event.handle));
  if (found == events_.end()) {
    static_cast<void>(misuse("an event is queried that does not exist (any more)"));
    return Progress::failed;
  }
  if (!unit(found->second.device).error.ok()) return Progress::failed;
  return found->second.point == nullptr || found->second.point->passed ? Progress::done : Progress::pending;
}

Progress Machine::query(int device, Stream stream) {
  run(schedule_.steps_after_question());
  if (!unit(device).error.ok() || !check_stream(device, stream).ok()) return Progress::failed;
  return find(device, stream)->operations.empty() ? Progress::done : Progress::pending;
}

bool Machine::is_capturing(int device, Stream stream) {
  const Queue* const queue = find(device, stream);
  return queue != nullptr && queue->capturing;
}

void Machine::set_capturing(int device, Stream stream, bool capturing) {
  if (check_stream(device, stream).ok()) find(device, stream)->capturing = capturing;
}

bool Machine::in_use(const std::byte* address, std::size_t size) const {
  for (const auto& [number, queue] : streams_) {
    if (!unit(queue.device).error.ok()) continue;
    for (const Operation& operation : queue.operations)
      if (touches(operation.work, address, size)) return true;
  }
  return false;
}

Status Machine::misuse(std::string what) {
  constexpr std::size_t kept = 64;
  if (misuses_.size() < kept) misuses_.push_back(what);
  return {StatusCode::invalid_argument, std::move(what)};
}

void Machine::enter_dispatch() { ++dispatching_[std::this_thread::get_id()]; }

void Machine::leave_dispatch() {
  const auto found = dispatching_.find(std::this_thread::get_id());
  if (found != dispatching_.end() && --found->second == 0) dispatching_.erase(found);
}

Status Machine::check_standing(const char* call, int device) {
  for (const auto& [number, queue] : streams_) {
    if (queue.device != device || queue.operations.empty() || queue.user != std::this_thread::get_id()) continue;
    const auto* const wait = std::get_if<WaitValue>(&queue.operations.front().work);
    if (wait != nullptr && unit(device).error.ok() && !is_reached(*wait, device))
      return misuse(std::string(call) + " is called while a stream of the same thread stands at a counter");
  }
  return {};
}

Status Machine::check_preparing(const char* call) {
  if (!dispatching_.contains(std::this_thread::get_id())) return {};
  return misuse(std::string(call) + " is called on the dispatch path");
}

}  // namespace treering::device::sim
