#include "treering/engine.h"

#include "base/check.h"
#include "engine/core.h"
#include "engine/task.h"

namespace treering {

Engine::Engine(std::unique_ptr<EngineCore> core) : core_(std::move(core)) {}

Engine::~Engine() {
  TREERING_CHECK(!core_->in_callback(), "an engine was destroyed inside a callback; destroy it on another thread");
}

int Engine::rank() const { return core_->world().rank; }
int Engine::size() const { return core_->world().size; }
int Engine::node() const { return core_->world().node(); }
int Engine::node_count() const { return core_->world().node_count(); }
int Engine::local_rank() const { return core_->world().local_rank_of(rank()); }
int Engine::local_size() const { return static_cast<int>(core_->world().ranks_of(node()).size()); }

int Engine::devices() const { return core_->world().devices_of(rank()); }
int Engine::members() const { return core_->world().member_count(); }

Handle Engine::allreduce(std::string_view name, TensorView tensor, ReduceOp op, const AllreduceOptions& options) {
  check_one_device(name, devices());
  return Handle(core_->submit(allreduce_task(name, std::move(tensor), op, options)));
}

Handle Engine::allreduce(std::string_view name, std::span<const TensorView> one_per_device, ReduceOp op,
                         const AllreduceOptions& options) {
  const std::vector<ConstTensorView> inputs(one_per_device.begin(), one_per_device.end());
  return allreduce(name, inputs, one_per_device, op, options);
}

Handle Engine::allreduce(std::string_view name, std::span<const ConstTensorView> inputs,
                         std::span<const TensorView> outputs, ReduceOp op, const AllreduceOptions& options) {
  return Handle(core_->submit(allreduce_task(name, inputs, outputs, op, options, devices())));
}

Handle Engine::allreduce(std::string_view name, ConstTensorView input, TensorView output, ReduceOp op,
                         const AllreduceOptions& options) {
  check_one_device(name, devices());
  return Handle(core_->submit(allreduce_task(name, input, std::move(output), op, options)));
}

Handle Engine::allreduce_bundle(std::vector<NamedTensor> tensors, ReduceOp op, const AllreduceOptions& options) {
  if (!tensors.empty()) check_one_device(tensors.front().name, devices());
  return Handle(core_->submit(bundle_task(tensors, op, options)));
}

Handle Engine::broadcast(std::string_view name, TensorView tensor, int root) {
  check_one_device(name, devices());
  return Handle(core_->submit(broadcast_task(name, std::move(tensor), root, size())));
}

Handle Engine::broadcast(std::string_view name, std::span<const TensorView> one_per_device, int root) {
  return Handle(core_->submit(broadcast_task(name, one_per_device, root, size(), devices())));
}

GatherHandle Engine::allgather(std::string_view name, ConstTensorView tensor) {
  return GatherHandle(core_->submit(allgather_task(name, tensor)));
}

Handle Engine::barrier(std::string_view name) { return Handle(core_->submit(barrier_task(name))); }

std::shared_ptr<void> Engine::allocate_bytes(std::size_t count, std::size_t element) {
  return core_->allocate(count, element);
}

void Engine::shutdown() { core_->shutdown(); }
void Engine::timeline_start(const std::string& directory) { core_->timeline_start(directory); }
void Engine::timeline_stop() { core_->timeline_stop(); }
void Engine::mark(std::string_view name) { core_->mark(name); }
TimelineScope Engine::mark_scope(std::string_view name) { return {*core_, name}; }
const Config& Engine::config() const { return core_->config(); }
Counters Engine::counters() const { return core_->counters(); }
const std::string& Engine::plan() const { return core_->plan(); }
std::string Engine::dump() const { return core_->dump(); }

TimelineScope::TimelineScope(EngineCore& engine, std::string_view name)
    : engine_(engine), name_(name), scope_(engine.begin_scope(name)) {}

TimelineScope::~TimelineScope() { engine_.end_scope(scope_, name_); }

}  // namespace treering
