#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "ops/executor.h"

namespace treering::ops::test {

/// Zeroed memory at a multiple of 4096.
class Pages {
 public:
  explicit Pages(std::size_t bytes);
  std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* pages) const;
  };
  std::unique_ptr<std::byte, Free> data_;
};

/// Messages between ranks of one process. Bytes move, and each side learns of it, at random times after both have
/// posted. Thread-safe.
class Network {
 public:
  explicit Network(unsigned seed) : random_(seed) {}

  transport::Wire::Ticket post(int from, int to, int tag, std::byte* data, std::size_t bytes, bool sends);
  bool poll(int rank);
  bool done(transport::Wire::Ticket ticket);
  bool empty() const { return open_.empty(); }
  /// True if rank has transfers that it does not know to be over.
  bool busy(int rank) const;

 private:
  struct Transfer {
    int rank = 0;
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    bool sends = false;
    transport::Wire::Ticket partner = 0;
    bool moved = false;
    bool over = false;
  };
  using Key = std::tuple<int, int, int>;
  mutable std::mutex mutex_;
  std::mt19937 random_;
  std::map<transport::Wire::Ticket, Transfer> open_;
  std::map<Key, std::deque<transport::Wire::Ticket>> unmatched_[2];
  transport::Wire::Ticket last_ = 0;
};

class TestWire final : public transport::Wire {
 public:
  TestWire(Network& network, int rank) : network_(network), rank_(rank) {}
  Ticket send(int rank, int tag, const std::byte* data, std::size_t bytes) override {
    return network_.post(rank_, rank, tag, const_cast<std::byte*>(data), bytes, true);
  }
  Ticket receive(int rank, int tag, std::byte* data, std::size_t bytes) override {
    return network_.post(rank, rank_, tag, data, bytes, false);
  }
  int max_tag() const override { return 32767; }
  bool done(Ticket ticket) override { return network_.done(ticket); }
  bool poll() override { return network_.poll(rank_); }

 private:
  Network& network_;
  int rank_;
};

/// One node's memory.
struct TestNode {
  std::vector<int> ranks;
  std::vector<Pages> areas;
  std::vector<Pages> heaps;
  std::size_t heap_bytes = 0;
  std::vector<bool> blind;  ///< members that cannot see the others' heaps
};

class TestLink final : public transport::NodeLink {
 public:
  TestLink(TestNode& node, int self, std::vector<std::atomic<std::uint64_t>>& rings)
      : node_(node), self_(self), rings_(rings) {}
  int self() const override { return self_; }
  int size() const override { return static_cast<int>(node_.ranks.size()); }
  std::byte* area(int member) const override { return node_.areas[static_cast<std::size_t>(member)].data(); }
  void ring(int member) const override;
  std::byte* heap(int member) const override;
  std::size_t heap_bytes() const override { return node_.heap_bytes; }

 private:
  TestNode& node_;
  int self_;
  std::vector<std::atomic<std::uint64_t>>& rings_;
};

struct JobOptions {
  std::vector<int> node_of{0};
  Tunables tunables;
  int max_shares = 16;
  std::size_t heap_bytes = 1 << 20;
  unsigned seed = 1;
  topology::Plan* plan = nullptr;  ///< instead of stars
  timeline::Recorder* recorder = nullptr;
};

/// All ranks of a job in one process. `run` steps them in random order, and a rank only if it moved last time, was
/// rung, or has messages under way: a forgotten bell hangs, which `run` reports with everybody's dump.
class TestJob {
 public:
  explicit TestJob(const JobOptions& options);
  ~TestJob();

  int size() const { return static_cast<int>(options_.node_of.size()); }
  Executor& executor(int rank) { return *executors_[static_cast<std::size_t>(rank)]; }
  TestNode& node_of(int rank);
  /// A place in the rank's heap.
  std::byte* heap(int rank);
  void run();
  /// One thread per rank.
  void run_threads();
  /// What each rank has finished, in order.
  const std::vector<Finished>& finished(int rank) const { return finished_[static_cast<std::size_t>(rank)]; }

 private:
  void collect(int rank);
  bool wakes(int rank);

  JobOptions options_;
  Network network_;
  RealClock clock_;
  std::unique_ptr<timeline::Recorder> no_recorder_;
  std::vector<std::unique_ptr<TestNode>> nodes_;
  std::vector<std::atomic<std::uint64_t>> rings_;
  std::vector<std::uint64_t> seen_;
  std::vector<std::unique_ptr<TestWire>> wires_;
  std::vector<std::unique_ptr<TestLink>> links_;
  std::vector<std::unique_ptr<Executor>> executors_;
  std::vector<std::vector<Finished>> finished_;
  std::mt19937 random_;
};

}  // namespace treering::ops::test
