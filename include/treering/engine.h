#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treering/buffer.h"
#include "treering/config.h"
#include "treering/handle.h"
#include "treering/tensor.h"

namespace treering {

struct AllreduceOptions {
  double prescale = 1.0;   ///< multiplies each input; floating types only
  double postscale = 1.0;  ///< multiplies the result; floating types only
  int priority = 0;        ///< higher goes first among tensors that are ready everywhere
};

/// One tensor of a bundle: reduced in place.
struct NamedTensor {
  std::string name;
  TensorView tensor;
};

/// A small copy of what the engine counts; readable at any time from any thread.
struct Counters {
  std::uint64_t operations = 0;  ///< completed without error
  std::uint64_t failures = 0;    ///< completed with an error
  std::uint64_t rounds = 0;      ///< rounds of the agreed stream that this rank has executed
  std::uint64_t batches = 0;
  std::uint64_t bytes = 0;           ///< bytes of all batches
  std::uint64_t mapped_batches = 0;  ///< batches reduced in place in memory from `allocate`
  std::uint64_t sleeps = 0;          ///< times the engine thread went to sleep
  std::uint64_t memory = 0;          ///< bytes the engine holds for slots, rings and boards
  std::uint64_t plan = 0;            ///< hash of the plan, equal on all ranks; Engine::plan says it in words
};

class EngineCore;  // the engine behind the face

/// A part of the program between two points of one thread, shown in the timeline. Ends with the object, which the
/// engine must outlive.
class [[nodiscard]] TimelineScope {
 public:
  TimelineScope(EngineCore& engine, std::string_view name);
  ~TimelineScope();
  TimelineScope(const TimelineScope&) = delete;
  TimelineScope& operator=(const TimelineScope&) = delete;

 private:
  EngineCore& engine_;
  const std::string name_;
  const std::uint64_t scope_;
};

/// Data-parallel collectives between the processes of one job.
///
/// Tensors are handed over by name, in any order, from any number of threads; one engine thread per process agrees with
/// its peers which are ready everywhere and reduces them. Every rank must, sooner or later, make the same requests;
/// requests of one name are paired first in, first out. Several engines in one process work; there is no global state.
class Engine {
 public:
  /// Collective over MPI_COMM_WORLD, or over `communicator` (a pointer to an MPI_Comm) if given; joins an MPI that the
  /// caller has started, or starts it. Works on private duplicates, so the caller's own MPI traffic is undisturbed.
  /// Throws Error if MPI's thread level is below MPI_THREAD_MULTIPLE or a peer does not arrive within the deadline.
  static std::unique_ptr<Engine> start(const Config& config = Config::from_environment(),
                                       const void* communicator = nullptr);

  /// As `shutdown`, but never throws and never takes longer than the configured time. Refused (the process ends with a
  /// message) inside a callback.
  ~Engine();

  int rank() const;
  int size() const;
  int local_rank() const;  ///< index among the ranks of this node
  int local_size() const;
  int node() const;
  int node_count() const;
  int devices() const;  ///< that this rank drives (Config::devices); each is a member of the job
  int members() const;  ///< devices of all ranks together: what averages divide by

  /// In place.
  Handle allreduce(std::string_view name, TensorView tensor, ReduceOp op, const AllreduceOptions& options = {});
  /// Out of place: `input` is left untouched. The two must be the same memory or not overlap at all.
  Handle allreduce(std::string_view name, ConstTensorView input, TensorView output, ReduceOp op,
                   const AllreduceOptions& options = {});
  /// In place, on a rank of several devices: one tensor of the same type and shape for each, in their order. Every
  /// device of every rank contributes one, in the order of ranks and devices, and the result reaches them all. Ranks
  /// may drive different numbers of devices. (Calls with a single tensor are for ranks of one device.)
  Handle allreduce(std::string_view name, std::span<const TensorView> one_per_device, ReduceOp op,
                   const AllreduceOptions& options = {});
  /// The same out of place.
  Handle allreduce(std::string_view name, std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs,
                   ReduceOp op, const AllreduceOptions& options = {});
  /// All or none: no tensor of the bundle is reduced before every one of them is ready on every rank. One handle for
  /// all.
  Handle allreduce_bundle(std::vector<NamedTensor> tensors, ReduceOp op, const AllreduceOptions& options = {});
  /// `root`'s values reach every rank.
  Handle broadcast(std::string_view name, TensorView tensor, int root);
  /// The values on `root`'s first device reach every device of every rank.
  Handle broadcast(std::string_view name, std::span<const TensorView> one_per_device, int root);
  /// Between ranks, whatever devices they drive. Concatenates along the first dimension, which may differ between
  /// ranks; the others must match.
  GatherHandle allgather(std::string_view name, ConstTensorView tensor);
  /// Done when every rank has asked for it.
  Handle barrier(std::string_view name = "barrier");

  /// `count` zeroed elements that the node's ranks can map. Falls back to ordinary memory, saying so once, if shared
  /// memory cannot be had.
  template <class T>
  Buffer<T> allocate(std::size_t count) {
    return Buffer<T>(allocate_bytes(count, sizeof(T)), count);
  }

  /// Tells the others that this rank makes no more requests, completes what was agreed, fails what was not, and returns
  /// when every rank has said so or the time is over. Idempotent; throws Error inside a callback.
  void shutdown();

  const Config& config() const;  ///< the effective configuration
  Counters counters() const;
  /// Along which trees data moves inside nodes, and why, for people. The same on every rank.
  const std::string& plan() const;
  // -- watching; all for any thread, and none changes what the engine does
  /// Begins to record this rank's timeline in `directory` (Config::timeline if empty), behind what this engine has
  /// recorded there before. Does nothing if it records there already, or after `shutdown`. Ranks need not start
  /// together. Throws Error(unavailable) if the directory cannot be written.
  void timeline_start(const std::string& directory = {});
  /// Ends the recording, if there is one; all of it is then on disk.
  void timeline_stop();
  /// A moment of the calling thread in the timeline. Costs next to nothing while nobody records.
  void mark(std::string_view name);
  /// The time until the end of the C++ scope: `auto scope = engine->mark_scope("forward");`.
  TimelineScope mark_scope(std::string_view name);

  /// What the engine does and waits for at this moment, for people. Safe from any thread.
  std::string dump() const;

 private:
  std::shared_ptr<void> allocate_bytes(std::size_t count, std::size_t element);
  std::unique_ptr<EngineCore> core_;

 public:
  /// For embedders and tests that bring their own fabric (engine/start.h); others call `start`.
  explicit Engine(std::unique_ptr<EngineCore> core);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
};

}  // namespace treering
