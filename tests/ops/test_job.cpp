#include "test_job.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace treering::ops::test {

namespace {}  // namespace

Pages::Pages(std::size_t bytes) {
  const std::size_t rounded = std::max<std::size_t>((bytes + 4095) / 4096, 1) * 4096;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(4096, rounded)));
  std::memset(data_.get(), 0, rounded);
}

void Pages::Free::operator()(std::byte* pages) const { std::free(pages); }

transport::Wire::Ticket Network::post(int from, int to, int tag, std::byte* data, std::size_t bytes, bool sends) {
  const std::lock_guard lock(mutex_);
  const transport::Wire::Ticket ticket = ++last_;
  Transfer& transfer = open_[ticket];
  transfer = {sends ? from : to, data, bytes, sends, 0, false, false};
  const Key key{from, to, tag};
  auto& waiting = unmatched_[sends ? 0 : 1][key];
  if (waiting.empty()) {
    unmatched_[sends ? 1 : 0][key].push_back(ticket);
    return ticket;
  }
  transfer.partner = waiting.front();
  waiting.pop_front();
  open_[transfer.partner].partner = ticket;
  if (open_[transfer.partner].bytes != bytes) std::abort();
  return ticket;
}

bool Network::poll(int rank) {
  const std::lock_guard lock(mutex_);
  bool any = false;
  for (auto& [ticket, transfer] : open_) {
    if (transfer.rank != rank || transfer.partner == 0 || transfer.over || random_() % 3 == 0) continue;
    if (!transfer.moved) {
      Transfer& partner = open_[transfer.partner];
      const Transfer& source = transfer.sends ? transfer : partner;
      if (source.bytes > 0) std::memcpy((transfer.sends ? partner : transfer).data, source.data, source.bytes);
      transfer.moved = partner.moved = true;
    } else {
      transfer.over = true;
      any = true;
    }
  }
  return any;
}

bool Network::done(transport::Wire::Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(ticket);
  if (found == open_.end()) std::abort();
  if (!found->second.over) return false;
  open_.erase(found);
  return true;
}

bool Network::busy(int rank) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(open_, [&](const auto& entry) { return entry.second.rank == rank; });
}

void TestLink::ring(int member) const {
  rings_[static_cast<std::size_t>(node_.ranks[static_cast<std::size_t>(member)])].fetch_add(1);
}

std::byte* TestLink::heap(int member) const {
  if (node_.heaps.empty()) return nullptr;
  if (node_.blind[static_cast<std::size_t>(self_)] && member != self_) return nullptr;
  return node_.heaps[static_cast<std::size_t>(member)].data();
}

TestJob::TestJob(const JobOptions& options)
    : options_(options),
      network_(options.seed),
      no_recorder_(timeline::no_recorder()),
      rings_(options.node_of.size()),
      seen_(options.node_of.size(), 0),
      finished_(options.node_of.size()),
      random_(options.seed) {
  const Tunables& tunables = options.tunables;
  const topology::Plan plan = options.plan != nullptr ? *options.plan
                                                      : topology::star_plan(options.node_of, options.max_shares,
                                                                            tunables.chunk_bytes, tunables.slot_bytes);
  for (const topology::NodePlan& node : plan.nodes) {
    auto& made = nodes_.emplace_back(std::make_unique<TestNode>());
    made->ranks = node.ranks;
    made->heap_bytes = options.heap_bytes;
    made->blind.assign(node.ranks.size(), false);
    for (std::size_t i = 0; i < node.ranks.size(); ++i) {
      made->areas.emplace_back(area_bytes(plan, tunables));
      if (options.heap_bytes > 0) made->heaps.emplace_back(options.heap_bytes);
    }
  }
  for (int rank = 0; rank < size(); ++rank) {
    transport::World world;
    world.rank = rank;
    world.size = size();
    world.node_of = options.node_of;
    world.hosts.assign(options.node_of.size(), "host");
    TestNode& node = node_of(rank);
    const auto self = static_cast<int>(std::ranges::find(node.ranks, rank) - node.ranks.begin());
    wires_.push_back(std::make_unique<TestWire>(network_, rank));
    links_.push_back(std::make_unique<TestLink>(node, self, rings_));
    executors_.push_back(std::make_unique<Executor>(world, plan, tunables, *links_.back(), *wires_.back(),
                                                    options.recorder != nullptr ? *options.recorder : *no_recorder_,
                                                    clock_));
  }
}

TestJob::~TestJob() = default;

TestNode& TestJob::node_of(int rank) {
  return *nodes_[static_cast<std::size_t>(options_.node_of[static_cast<std::size_t>(rank)])];
}

std::byte* TestJob::heap(int rank) {
  TestNode& node = node_of(rank);
  return node.heaps[static_cast<std::size_t>(std::ranges::find(node.ranks, rank) - node.ranks.begin())].data();
}

void TestJob::collect(int rank) {
  while (const auto finished = executor(rank).next_finished())
    finished_[static_cast<std::size_t>(rank)].push_back(*finished);
}

bool TestJob::wakes(int rank) {
  const auto index = static_cast<std::size_t>(rank);
  const std::uint64_t rings = rings_[index].load();
  const bool rung = rings != seen_[index];
  seen_[index] = rings;
  return rung || network_.busy(rank);
}

void TestJob::run() {
  std::vector<bool> awake(executors_.size(), true);
  int quiet = 0;
  const auto busy = [&] {
    return !std::ranges::all_of(executors_, [](const auto& executor) { return executor->idle(); });
  };
  while (busy() && quiet < 10'000) {
    const auto rank = static_cast<int>(random_() % executors_.size());
    const auto index = static_cast<std::size_t>(rank);
    ++quiet;
    if (wakes(rank)) awake[index] = true;
    if (!awake[index]) continue;
    awake[index] = executor(rank).step();
    if (awake[index]) quiet = 0;
    collect(rank);
  }
  std::string dumps;
  if (busy())
    for (const auto& executor : executors_) dumps += executor->dump();
  REQUIRE_MESSAGE(!busy(), dumps);
  CHECK(network_.empty());
}

void TestJob::run_threads() {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size(); ++rank)
    threads.emplace_back([this, rank] {
      while (!executor(rank).idle()) {
        if (!executor(rank).step()) std::this_thread::yield();
        collect(rank);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace treering::ops::test
