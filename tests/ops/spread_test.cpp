// Broadcast and allgather through the executor.

#include <doctest/doctest.h>

#include <cstring>
#include <numeric>

#include "allreduce_fixture.h"

using namespace treering;
using namespace treering::ops;
using namespace treering::ops::test;

namespace {

const std::vector<std::vector<int>> shapes{{0}, {0, 0}, {0, 0, 0}, {0, 1}, {0, 0, 1, 1, 2}, {0, 1, 2, 3}, {0, 1, 0, 1}};

std::byte value(int rank, std::size_t index) {
  return static_cast<std::byte>((static_cast<std::size_t>(rank) * 31 + index * 7 + index / 256) % 251);
}

}  // namespace

TEST_CASE("executor: broadcast from every root, of one and several segments") {
  unsigned seed = 1;
  for (const std::vector<int>& shape : shapes)
    for (int root = 0; root < static_cast<int>(shape.size()); ++root)
      for (const std::vector<std::size_t>& lengths :
           {std::vector<std::size_t>{1}, {100, 3}, {20'000}, {5000, 1, 700}}) {
        TestJob job(small_options(shape, ++seed));
        auto batch = std::make_shared<fusion::Batch>();
        batch->kind = OperationKind::broadcast;
        batch->root = root;
        for (const std::size_t bytes : lengths) {
          batch->bytes = (batch->bytes + 63) / 64 * 64;
          batch->segments.push_back({0, 0, 0, batch->bytes, bytes});
          batch->bytes += bytes;
        }
        std::vector<std::vector<std::byte>> memory(shape.size(), std::vector<std::byte>(batch->bytes));
        for (int rank = 0; rank < job.size(); ++rank) {
          auto& own = memory[static_cast<std::size_t>(rank)];
          for (std::size_t i = 0; i < own.size(); ++i) own[i] = value(rank, i);
          Submission submission;
          submission.batch = batch;
          for (const fusion::Segment& segment : batch->segments)
            submission.memory.push_back({own.data() + segment.batch_offset, own.data() + segment.batch_offset});
          job.executor(rank).submit(std::move(submission));
        }
        job.run();
        for (const auto& own : memory)
          for (const fusion::Segment& segment : batch->segments) {
            bool right = true;
            for (std::size_t i = 0; i < segment.bytes; ++i)
              right = right && own[segment.batch_offset + i] == value(root, segment.batch_offset + i);
            CHECK(right);
          }
      }
}

TEST_CASE("executor: allgather of unequal, odd and empty parts, several in flight") {
  unsigned seed = 100;
  const std::vector<std::vector<std::uint64_t>> patterns{{1}, {0}, {0, 700, 1}, {9000, 0, 33, 20'001}, {257, 256}};
  for (const std::vector<int>& shape : shapes) {
    TestJob job(small_options(shape, ++seed));
    const auto batch = std::make_shared<fusion::Batch>();
    batch->kind = OperationKind::allgather;
    std::vector<std::vector<std::uint64_t>> parts;
    std::deque<std::vector<std::byte>> inputs, outputs;
    for (const auto& pattern : patterns) {
      std::vector<std::uint64_t>& sizes = parts.emplace_back();
      for (std::size_t rank = 0; rank < shape.size(); ++rank) sizes.push_back(pattern[rank % pattern.size()]);
      for (int rank = 0; rank < job.size(); ++rank) {
        auto& input = inputs.emplace_back(sizes[static_cast<std::size_t>(rank)]);
        for (std::size_t i = 0; i < input.size(); ++i) input[i] = value(rank, i);
        auto& output = outputs.emplace_back(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}));
        Submission submission;
        submission.batch = batch;
        submission.gather_bytes = sizes;
        submission.gather_input = input.data();
        submission.gather_output = output.data();
        job.executor(rank).submit(std::move(submission));
      }
    }
    job.run();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      std::size_t at = 0;
      bool right = true;
      for (int rank = 0; rank < job.size(); ++rank)
        for (std::size_t k = 0; k < parts[i / shape.size()][static_cast<std::size_t>(rank)]; ++k)
          right = right && outputs[i][at++] == value(rank, k);
      CHECK(right);
    }
  }
}
