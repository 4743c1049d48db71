#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "elements.h"
#include "test_job.h"

namespace treering::ops::test {

enum class Memory { mapped, private_, mixed };

struct Work {
  DataType type = DataType::f32;
  ReduceOp op = ReduceOp::sum;
  std::vector<std::size_t> counts;  ///< elements per segment
  bool in_place = true;
  Memory memory = Memory::private_;
  double prescale = 1.0;
  double postscale = 1.0;
};

/// One allreduce in flight on all ranks: its memory, with guard bytes around every segment.
class Allreduce {
 public:
  Allreduce(TestJob& job, const Work& work, int step, std::size_t heap_offset = 0)
      : job_(job), work_(work), step_(step), batch_(std::make_shared<fusion::Batch>()) {
    batch_->type = work.type;
    batch_->op = work.op;
    batch_->prescale = work.prescale;
    batch_->postscale = work.postscale;
    std::size_t offset = heap_offset;
    for (std::size_t i = 0; i < work.counts.size(); ++i) {
      const std::size_t bytes = work.counts[i] * size_of(work.type);
      batch_->bytes = (batch_->bytes + 63) / 64 * 64;
      batch_->segments.push_back({static_cast<std::uint32_t>(i), 0, 0, batch_->bytes, bytes});
      batch_->bytes += bytes;
      offset += 24;
      places_.push_back(offset);
      first_elements_.push_back(i * 1000);
      offset += bytes + guard;
      outputs_at_.push_back(offset);
      offset += bytes + guard;
    }
    span_ = offset;
    for (int rank = 0; rank < job.size(); ++rank) {
      storage_.emplace_back(span_);
      const bool heap = work.memory == Memory::mapped || (work.memory == Memory::mixed && rank % 2 == 0);
      memory_.push_back(heap ? job.heap(rank) : storage_.back().data());
      std::memset(memory_.back() + heap_offset, 0x5a, span_ - heap_offset);
      fill(rank);
    }
  }

  std::size_t end() const { return span_; }

  /// Gives segment i the values that elements from `first` on have.
  void set_first_element(std::size_t i, std::size_t first) {
    first_elements_[i] = first;
    for (int rank = 0; rank < job_.size(); ++rank) fill(rank);
  }

  void submit(int rank) {
    Submission submission;
    submission.cookie = static_cast<std::uint64_t>(step_);
    submission.batch = batch_;
    submission.label = "step " + std::to_string(step_);
    for (std::size_t i = 0; i < places_.size(); ++i) submission.memory.push_back({input(rank, i), output(rank, i)});
    job_.executor(rank).submit(std::move(submission));
  }

  void check() const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      for (int rank = 0; rank < job_.size(); ++rank) {
        const std::size_t bytes = work_.counts[i] * size_of(work_.type);
        CHECK(std::memcmp(output(rank, i), output(0, i), bytes) == 0);
        CHECK(output(rank, i)[bytes] == std::byte{0x5a});
        CHECK(output(rank, i)[-1] == std::byte{0x5a});
        if (!work_.in_place) check_input(rank, i);
      }
      check_values(i);
    }
  }

  std::vector<std::byte> result() const {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < places_.size(); ++i)
      bytes.insert(bytes.end(), output(0, i), output(0, i) + work_.counts[i] * size_of(work_.type));
    return bytes;
  }

 private:
  static constexpr std::size_t guard = 8;

  std::byte* input(int rank, std::size_t i) const { return memory_[static_cast<std::size_t>(rank)] + places_[i]; }
  std::byte* output(int rank, std::size_t i) const {
    return work_.in_place ? input(rank, i) : memory_[static_cast<std::size_t>(rank)] + outputs_at_[i];
  }
  std::size_t first_element(std::size_t i) const { return first_elements_[i]; }

  void fill(int rank) {
    for (std::size_t i = 0; i < places_.size(); ++i)
      for (std::size_t e = 0; e < work_.counts[i]; ++e)
        store_element(work_.type, input(rank, i) + e * size_of(work_.type),
                      input_value(work_.type, work_.op, rank, first_element(i) + e, step_));
  }

  void check_input(int rank, std::size_t i) const {
    bool untouched = true;
    for (std::size_t e = 0; e < work_.counts[i]; ++e)
      untouched = untouched && load_element(work_.type, input(rank, i) + e * size_of(work_.type)) ==
                                   input_value(work_.type, work_.op, rank, first_element(i) + e, step_);
    CHECK(untouched);
  }

  void check_values(std::size_t i) const {
    const bool exact = !(work_.op == ReduceOp::average && is_floating(work_.type));
    const double tolerance = size_of(work_.type) == 2 ? 0.02 : 1e-5;
    for (std::size_t e = 0; e < work_.counts[i]; ++e) {
      const double got = load_element(work_.type, output(0, i) + e * size_of(work_.type));
      const double want = expected_value(work_.type, work_.op, job_.size(), first_element(i) + e, step_, work_.prescale,
                                         work_.postscale);
      if (exact ? got == want : std::fabs(got - want) <= tolerance * std::fabs(want)) continue;
      FAIL_CHECK("segment " << i << " element " << e << ": got " << got << ", want " << want << " ("
                            << name_of(work_.type) << " " << name_of(work_.op) << ")");
      return;
    }
  }

  TestJob& job_;
  Work work_;
  int step_;
  std::shared_ptr<fusion::Batch> batch_;
  std::vector<std::size_t> places_;
  std::vector<std::size_t> first_elements_;
  std::vector<std::size_t> outputs_at_;
  std::size_t span_ = 0;
  std::vector<Pages> storage_;
  std::vector<std::byte*> memory_;
};

inline JobOptions small_options(const std::vector<int>& node_of, unsigned seed) {
  JobOptions options;
  options.node_of = node_of;
  options.seed = seed;
  options.tunables.slot_bytes = 16 * 1024;
  options.tunables.chunk_bytes = 256;
  options.tunables.one_shot_limit = 512;
  options.tunables.lanes = 3;
  return options;
}

}  // namespace treering::ops::test
