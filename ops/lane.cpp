#include "ops/lane.h"

#include <fmt/format.h>

#include <numeric>

#include "base/check.h"
#include "ops/compile.h"
#include "timeline/profiler.h"

namespace treering::ops {

Lane::Lane(const Site& site, std::uint32_t index, transport::Wire& wire, const device::HostKernels& kernels,
           const Clock& stopwatch)
    : site_(site), index_(index), stopwatch_(stopwatch), runner_(site.node(), wire, kernels, stopwatch) {
  Bindings& bindings = runner_.bindings();
  for (int member = 0; member < site.members(); ++member) {
    std::byte* area = site.node().area(member);
    bindings.slots.push_back(site.layout().slots(area, index));
    bindings.counters.push_back(site.layout().counters(area, index));
  }
}

bool Lane::returned() const {
  for (int member = 0; member < site_.members(); ++member)
    if (site_.finished(member, index_).load(std::memory_order_seq_cst) < base_) return false;
  return true;
}

void Lane::start(Submission submission, std::uint64_t sequence, Nanoseconds since) {
  submission_ = std::move(submission);
  sequence_ = sequence;
  since_ = since;
  started_at_ = stopwatch_.now();
  profiled_ = timeline::profiler::begin(submission_.label);
  describe_shape();
  const PathChoice choice = choose_path(shape_, site_.geometry(), site_.members(), submission_.batch->segments.size(),
                                        site_.tunables().one_shot_limit);
  path_ = choice.path;
  if (choice.depends_on_memory) {
    post();
    state_ = State::posting;
  } else {
    launch();
  }
}

void Lane::describe_shape() {
  const fusion::Batch& batch = *submission_.batch;
  shape_.kind = batch.kind;
  shape_.type = batch.type;
  shape_.op = batch.op;
  shape_.prescale = batch.prescale;
  shape_.postscale = batch.postscale;
  shape_.root = batch.root;
  shape_.deterministic = site_.tunables().deterministic != 0;
  shape_.bytes = batch.bytes;
  shape_.gather_bytes = submission_.gather_bytes;
  if (batch.kind == OperationKind::allgather)
    shape_.bytes = std::accumulate(shape_.gather_bytes.begin(), shape_.gather_bytes.end(), std::uint64_t{0});
  else
    TREERING_CHECK(submission_.memory.size() == batch.segments.size(), "every segment needs its memory");
}

// Memory is posted as mapped only if this rank, too, sees everybody's: then all members take the same path.
void Lane::post() {
  const transport::NodeLink& node = site_.node();
  const int self = site_.self().member;
  bool mapped = true;
  for (int member = 0; member < site_.members(); ++member) mapped = mapped && node.heap(member) != nullptr;
  const auto heap = reinterpret_cast<std::uintptr_t>(node.heap(self));
  const auto offset_of = [&](const std::byte* where, std::uint64_t bytes) {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(where) - heap;
    mapped = mapped && offset < node.heap_bytes() && bytes <= node.heap_bytes() - offset;
    return static_cast<std::uint64_t>(offset);
  };
  const Board own = board(self);
  const std::span<SegmentOffsets> entries = own.entries(submission_.memory.size());
  for (std::size_t i = 0; mapped && i < entries.size(); ++i) {
    const std::uint64_t bytes = submission_.batch->segments[i].bytes;
    entries[i] = {offset_of(submission_.memory[i].input, bytes), offset_of(submission_.memory[i].output, bytes)};
  }
  own.publish(sequence_ + 1, mapped);
  site_.ring_others();
}

std::optional<PathClass> Lane::path_by_boards() const {
  for (int member = 0; member < site_.members(); ++member)
    if (!posted(member)) return std::nullopt;
  for (int member = 0; member < site_.members(); ++member)
    if (!board(member).mapped()) return PathClass::staged;
  return PathClass::mapped;
}

void Lane::launch() {
  compile(site_.plan(), site_.geometry(), shape_, path_, site_.self(), runner_.program());
  runner_.bindings().clear_segments();
  if (shape_.kind == OperationKind::allgather)
    bind_gather();
  else if (path_ == PathClass::mapped)
    bind_mapped_memory();
  else
    bind_own_memory();
  runner_.start(base_, static_cast<int>(index_) * site_.channels());
  state_ = State::running;
}

void Lane::bind_own_memory() {
  Bindings& bindings = runner_.bindings();
  for (std::size_t i = 0; i < submission_.memory.size(); ++i) {
    const fusion::Segment& segment = submission_.batch->segments[i];
    bindings.segments.push_back({segment.batch_offset, segment.batch_offset + segment.bytes});
    bindings.inputs.push_back(submission_.memory[i].input);
    bindings.outputs.push_back(submission_.memory[i].output);
  }
}

void Lane::bind_mapped_memory() {
  Bindings& bindings = runner_.bindings();
  const std::vector<fusion::Segment>& segments = submission_.batch->segments;
  bindings.row = segments.size();
  for (const fusion::Segment& segment : segments)
    bindings.segments.push_back({segment.batch_offset, segment.batch_offset + segment.bytes});
  for (int member = 0; member < site_.members(); ++member) {
    std::byte* heap = site_.node().heap(member);
    const std::size_t limit = site_.node().heap_bytes();
    const std::span<const SegmentOffsets> entries = board(member).entries(segments.size());
    for (std::size_t i = 0; i < segments.size(); ++i) {
      TREERING_CHECK(entries[i].input <= limit - segments[i].bytes && entries[i].output <= limit - segments[i].bytes,
                     "a member posted memory outside its heap");
      bindings.inputs.push_back(heap + entries[i].input);
      bindings.outputs.push_back(heap + entries[i].output);
    }
  }
}

// The output as three segments, because only the part of this rank has an input.
void Lane::bind_gather() {
  Bindings& bindings = runner_.bindings();
  const auto rank = static_cast<std::size_t>(site_.ranks()[static_cast<std::size_t>(site_.self().member)]);
  TREERING_CHECK(rank < shape_.gather_bytes.size(), "an allgather needs every rank's size");
  const auto own = shape_.gather_bytes.begin() + static_cast<std::ptrdiff_t>(rank);
  const std::uint64_t begin = std::accumulate(shape_.gather_bytes.begin(), own, std::uint64_t{0});
  const std::uint64_t bounds[] = {0, begin, begin + *own, shape_.bytes};
  for (int i = 0; i < 3; ++i) {
    if (bounds[i] == bounds[i + 1]) continue;
    bindings.segments.push_back({bounds[i], bounds[i + 1]});
    bindings.inputs.push_back(i == 1 ? submission_.gather_input : nullptr);
    bindings.outputs.push_back(submission_.gather_output + bounds[i]);
  }
}

bool Lane::step(Budget& budget) {
  bool moved = false;
  if (state_ == State::posting) {
    const std::optional<PathClass> path = path_by_boards();
    if (!path) return false;
    path_ = *path;
    launch();
    moved = true;
  }
  return runner_.step(budget) || moved;
}

bool Lane::take_completion() {
  if (state_ != State::running || !runner_.complete()) return false;
  state_ = State::ending;
  return true;
}

void Lane::give_back() {
  base_ += runner_.program().advance;
  site_.finish(index_, base_);
  state_ = State::free;
  submission_ = {};
}

std::string Lane::dump() const {
  std::string text = fmt::format("  lane {} '{}': {} of {} bytes, {}\n", index_, submission_.label,
                                 name_of(shape_.kind), shape_.bytes, name_of(path_));
  if (state_ != State::posting) return text + runner_.dump(site_.ranks());
  text += "    waits for the addresses of rank";
  for (int member = 0; member < site_.members(); ++member)
    if (!posted(member)) text += fmt::format(" {}", site_.ranks()[static_cast<std::size_t>(member)]);
  return text + '\n';
}

std::string Lane::dump_missing() const {
  std::string text = fmt::format("lane {} is still used by rank", index_);
  for (int member = 0; member < site_.members(); ++member)
    if (site_.finished(member, index_).load(std::memory_order_acquire) < base_)
      text += fmt::format(" {}", site_.ranks()[static_cast<std::size_t>(member)]);
  return text;
}

}  // namespace treering::ops
