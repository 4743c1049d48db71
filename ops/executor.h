#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/tunables.h"
#include "fusion/batch.h"
#include "timeline/recorder.h"
#include "topology/plan.h"
#include "transport/node_link.h"
#include "transport/wire.h"
#include "transport/world.h"

namespace treering::ops {

/// Where one segment of a batch lies on this rank. In place: equal. For an allgather and a broadcast see Submission.
struct SegmentMemory {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
};

/// One data operation of this rank, handed over in the agreed order.
struct Submission {
  std::uint64_t cookie = 0;
  std::shared_ptr<const fusion::Batch> batch;
  /// Allreduce and broadcast: one per segment of the batch, for each of the rank's members in turn (broadcast: input
  /// and output are the same).
  std::vector<SegmentMemory> memory;
  /// Allgather only: bytes that each rank contributes; the output is their concatenation in rank order.
  std::vector<std::uint64_t> gather_bytes;
  const std::byte* gather_input = nullptr;
  std::byte* gather_output = nullptr;
  std::string label;  ///< for dumps and traces: the tensors' names, shortened
};

struct Finished {
  std::uint64_t cookie = 0;
  bool mapped = false;  ///< reduced in place in mapped memory
};

/// Bytes of FabricOptions::area_bytes that an executor with these settings needs on every rank for each of its members;
/// a multiple of 4096.
std::size_t area_bytes(const topology::Plan& plan, const Tunables& tunables);

/// Compiles and runs submissions, in order, several at once, on host memory: a program for each member of this rank.
/// Engine thread only; nothing blocks.
class Executor {
 public:
  Executor(const transport::World& world, const topology::Plan& plan, const Tunables& tunables,
           transport::NodeLink& node, transport::Wire& wire, timeline::Recorder& recorder, const Clock& clock);
  ~Executor();

  void submit(Submission submission);
  /// Some 100 us of work at most. True if anything moved.
  bool step();
  /// Operations whose results are in place and whose memory nobody touches any more.
  std::optional<Finished> next_finished();
  bool idle() const;
  /// Submissions that have not been finished.
  std::size_t running() const;
  /// Every running program down to the instruction it waits for, for people.
  std::string dump() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace treering::ops
