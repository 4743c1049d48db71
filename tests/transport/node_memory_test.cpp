#include "transport/shm/node_memory.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <mutex>
#include <thread>

#include "tests/transport/rank_threads.h"
#include "transport/shm/local_socket.h"
#include "transport/shm/memory_file.h"
#include "transport/shm/process_handle.h"

using namespace treering;
using namespace treering::transport;
using conformance::Problems;

namespace {

constexpr std::size_t heap_bytes = 1 << 20;

/// Shares real memory files and sockets between threads; the exchange of the start comes from an inproc job.
Problems share_on_all(const std::vector<int>& node_of, const FabricOptions& options,
                      const std::function<Problems(const World&, shm::NodeMemoryResult&, const Gather&)>& check) {
  const int size = static_cast<int>(node_of.size());
  FabricOptions exchange;
  inproc::Job job(size, exchange);
  return on_all_ranks(job, size, [&](Fabric& fabric) {
    const World world =
        make_world(fabric.world().rank, node_of, std::vector<std::string>(static_cast<std::size_t>(size)));
    const int members = static_cast<int>(world.ranks_of(world.node()).size());
    const Gather gather = [&](const Bytes& mine) { return fabric.gather_all(mine); };
    shm::NodeMemoryResult result = shm::share_node_memory(world, SegmentLayout(members, 5'000, {}), options, gather);
    Problems problems = check(world, result, gather);
    gather({});
    fabric.say_goodbye();
    return problems;
  });
}

void expect_none(const Problems& problems) {
  for (const std::string& problem : problems) FAIL_CHECK(problem);
}

}  // namespace

TEST_CASE("every member sees every member's segment, heap, bell and process") {
  FabricOptions options;
  options.heap_bytes = heap_bytes;
  expect_none(share_on_all(
      {0, 1, 0, 1, 0, 2}, options,
      [](const World& world, shm::NodeMemoryResult& result, const Gather& gather) -> Problems {
        for (const std::string& reason : result.node_reason)
          if (!reason.empty()) return {reason};
        const auto self = static_cast<std::size_t>(world.local_rank_of(world.rank));
        const std::size_t members = world.ranks_of(world.node()).size();
        const SegmentLayout layout(static_cast<int>(members), 5'000, {});
        shm::NodeMemory& memory = result.memory;
        memory.segment.data()[layout.area(static_cast<int>(self))] = static_cast<std::byte>(world.rank + 1);
        memory.heaps[self].data()[heap_bytes - 1] = static_cast<std::byte>(world.rank + 101);
        gather({});
        Problems problems;
        for (std::size_t member = 0; member < members; ++member) {
          const int rank = world.ranks_of(world.node())[member];
          if (memory.segment.data()[layout.area(static_cast<int>(member))] != static_cast<std::byte>(rank + 1))
            problems.push_back("the segment is not shared");
          if (memory.heaps[member].data()[heap_bytes - 1] != static_cast<std::byte>(rank + 101))
            problems.push_back("the heap is not shared");
          if (!memory.members[member].eventfd.valid()) problems.push_back("a bell is missing");
          if (members > 1 && memory.members[member].pid != ::getpid()) problems.push_back("wrong process");
          if (shm::has_ended(memory.members[member].process)) problems.push_back("this process has not ended");
        }
        return problems;
      }));
}

TEST_CASE("a refusal by any member is the same answer everywhere, and names who refused") {
  for (const int refusing : {0, 3}) {
    FabricOptions options;
    options.refuse.segments = {refusing};
    expect_none(share_on_all(
        {0, 1, 0, 1}, options, [&](const World& world, shm::NodeMemoryResult& result, const Gather&) -> Problems {
          const auto node = static_cast<std::size_t>(refusing == 0 ? 0 : 1);
          const std::string name = "rank " + std::to_string(refusing) + ": ";
          if (result.node_reason[node].find(name) != 0) return {"reason does not begin with " + name};
          if (!result.node_reason[1 - node].empty()) return {"the other node is refused too"};
          if (static_cast<std::size_t>(world.node()) != node && result.memory.segment.data() == nullptr)
            return {"the other node has no segment"};
          return {};
        }));
  }
}

TEST_CASE("a heap that its owner cannot have is missing for all members and for nobody else") {
  FabricOptions options;
  options.heap_bytes = heap_bytes;
  options.refuse.heaps = {2};
  expect_none(share_on_all({0, 1, 0, 1}, options,
                           [](const World& world, shm::NodeMemoryResult& result, const Gather&) -> Problems {
                             const bool first = result.memory.heaps[0].data() != nullptr;
                             const bool second = result.memory.heaps[1].data() != nullptr;
                             if (!first || second != (world.node() == 1)) return {"wrong heaps"};
                             if (result.heap_reason.empty() != (world.node() == 1)) return {"wrong reason"};
                             return {};
                           }));
}

TEST_CASE("strangers and garbage on the node's socket are an error, not a crash") {
  const std::string name = "treering-test-" + std::to_string(::getpid());
  const UniqueFd listener = shm::listen_locally(name, 4);
  REQUIRE(listener.valid());
  const UniqueFd stranger = shm::connect_locally(name);
  REQUIRE(shm::send_parcel(stranger, Bytes(7, std::byte{0xff}), {}));
  shm::NodeDescriptors own;
  own.members.resize(2);
  own.segment = shm::make_memory_file("test", 4096);
  const Status status = shm::hand_over_as_leader(own, listener, Deadline(std::chrono::seconds(20)));
  CHECK(status.code() == StatusCode::unavailable);
  CHECK(status.message().find("stranger") != std::string::npos);
}

TEST_CASE("a member whose leader goes away gets an error") {
  const std::string name = "treering-gone-" + std::to_string(::getpid());
  UniqueFd listener = shm::listen_locally(name, 4);
  shm::NodeDescriptors own;
  own.members.resize(2);
  own.members[1].eventfd = make_bell_descriptor();
  std::jthread leader([&] {
    const UniqueFd socket = shm::accept_locally(listener, Deadline(std::chrono::seconds(20)));
    shm::receive_parcel(socket, Deadline(std::chrono::seconds(20)));
  });
  const Status status = shm::hand_over_as_member(own, 1, name, Deadline(std::chrono::seconds(20)));
  CHECK(status.code() == StatusCode::unavailable);
  leader.join();
  listener.reset();
  CHECK_FALSE(shm::hand_over_as_member(own, 1, name, Deadline(std::chrono::seconds(20))).ok());
}
