#include "fusion/plan.h"

#include <bit>

namespace treering::fusion {
namespace {

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + segment_alignment - 1) / segment_alignment * segment_alignment;
}

bool same_operation(const Batch& left, const Batch& right) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  return left.kind == right.kind && left.type == right.type && left.op == right.op && left.root == right.root &&
         bits(left.prescale) == bits(right.prescale) && bits(left.postscale) == bits(right.postscale);
}

Batch empty_batch(const Request& request, DataType type) {
  Batch batch;
  batch.kind = request.kind;
  batch.type = type;
  batch.op = request.op;
  batch.root = request.root;
  batch.prescale = request.prescale;
  batch.postscale = request.postscale;
  return batch;
}

class Planner {
 public:
  explicit Planner(const Tunables& tunables) : tunables_(tunables) {}

  void add_gather(const Request& request, std::uint32_t item) {
    Batch batch = empty_batch(request, request.tensors.front().type);
    batch.item = item;
    batches_.push_back(std::move(batch));
  }

  void add(const Request& request, Segment segment) {
    if (segment.bytes == 0) return;
    Batch fresh = empty_batch(request, request.tensors[segment.tensor].type);
    if (segment.bytes > tunables_.pack_limit) {
      append(fresh, segment);
      batches_.push_back(std::move(fresh));
      return;
    }
    const std::size_t place = open_place(fresh);
    if (place < open_.size() && fits(batches_[open_[place]], segment)) {
      append(batches_[open_[place]], segment);
      return;
    }
    append(fresh, segment);
    if (place < open_.size()) {
      open_[place] = batches_.size();
    } else {
      open_.push_back(batches_.size());
    }
    batches_.push_back(std::move(fresh));
  }

  std::vector<Batch> take() { return std::move(batches_); }

 private:
  // One batch per kind of operation takes more; there are few kinds in a round.
  std::size_t open_place(const Batch& wanted) const {
    std::size_t place = 0;
    while (place < open_.size() && !same_operation(batches_[open_[place]], wanted)) ++place;
    return place;
  }

  bool fits(const Batch& batch, const Segment& segment) const {
    return batch.segments.size() < max_segments && aligned(batch.bytes) + segment.bytes <= tunables_.batch_limit;
  }

  static void append(Batch& batch, Segment segment) {
    segment.batch_offset = aligned(batch.bytes);
    batch.bytes = segment.batch_offset + segment.bytes;
    batch.segments.push_back(segment);
  }

  const Tunables& tunables_;
  std::vector<Batch> batches_;
  std::vector<std::size_t> open_;  // indices into batches_
};

}  // namespace

std::vector<Batch> plan(const Round& round, const Tunables& tunables) {
  Planner planner(tunables);
  for (std::uint32_t index = 0; index < round.items.size(); ++index) {
    const RoundItem& item = round.items[index];
    const Request& request = item.definition->request;
    if (request.kind == OperationKind::barrier) continue;
    if (request.kind == OperationKind::allgather) {
      planner.add_gather(request, index);
    } else if (request.tensors.size() == 1) {
      planner.add(request, Segment{index, 0, item.begin, 0, item.end - item.begin});
    } else {
      for (std::uint32_t tensor = 0; tensor < request.tensors.size(); ++tensor)
        planner.add(request, Segment{index, tensor, 0, 0, request.tensors[tensor].bytes()});
    }
  }
  return planner.take();
}

}  // namespace treering::fusion
