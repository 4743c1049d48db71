// Several processes sum up over one device, or one each, through mapped memory and counters: what the engine's trees do
// inside a node, by hand. Started by treering-fork; the exchange at the start runs over its sockets.
//
// Each process owns an equal share of the elements and is the root of a star for it: it reads everybody's input and
// writes everybody's output. Two counters of each process say how many rounds of input are ready, and how many rounds
// its share is done. Inputs are made on the device, one round after the other, in place of poison; everything of all
// rounds is enqueued at once, and nothing waits on the host in between.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/environment.h"
#include "tests/gpu/scratch.h"
#include "transport/fork/hub.h"

namespace {

using namespace treering;
using namespace treering::device;
using namespace treering::test;
using transport::Deadline;
namespace fork = treering::transport::fork;

constexpr std::size_t elements = 1'000'003;
constexpr int rounds = 8;
constexpr std::chrono::seconds patience{60};

float input_of(int rank, int round, std::size_t index) {
  return static_cast<float>((index * 31 + static_cast<std::size_t>(rank) * 17 + static_cast<std::size_t>(round) * 7) %
                            1000);
}

/// What a process lets the others map: a round's input and output, and two counters for each process that waits.
struct Window {
  std::byte* input = nullptr;
  std::byte* output = nullptr;
  std::uint64_t* counters = nullptr;  ///< [from] inputs ready, [size + from] shares done
};

class Member {
 public:
  Member(const fork::Seat& seat, Device& device)
      : seat_(seat),
        device_(device),
        hidden_(device, bytes * rounds),
        inputs_(device, bytes * rounds),
        outputs_(device, bytes * rounds) {
    std::uint64_t* counters = nullptr;
    must(device, device.allocate_counters(2 * static_cast<std::size_t>(seat.size), counters));
    windows_.resize(static_cast<std::size_t>(seat.size));
    windows_[self()] = {inputs_.memory(), outputs_.memory(), counters};
    fill();
    exchange();
  }

  ~Member() {
    for (std::size_t peer = 0; peer < windows_.size(); ++peer) {
      if (peer == self()) continue;
      for (std::byte* mapped :
           {windows_[peer].input, windows_[peer].output, reinterpret_cast<std::byte*>(windows_[peer].counters)})
        static_cast<void>(device_.close_memory(mapped));
    }
    meet();  // nobody frees what another has mapped
    static_cast<void>(device_.free(reinterpret_cast<std::byte*>(windows_[self()].counters)));
  }

  /// Wrong elements of all rounds.
  std::size_t run() {
    poison(inputs_);
    poison(outputs_);
    meet();
    const Stream stream = outputs_.stream();
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      const std::size_t slice = (round - 1) * bytes;
      must(device_, device_.copy(stream, hidden_.memory() + slice, inputs_.memory() + slice, bytes));
      for (std::size_t peer = 0; peer < windows_.size(); ++peer)
        must(device_, device_.write_value(stream, windows_[peer].counters + self(), base_ + round));
      wait_for_all(stream, 0, round);
      reduce_share(stream, slice);
      for (std::size_t peer = 0; peer < windows_.size(); ++peer)
        must(device_, device_.write_value(stream, windows_[peer].counters + windows_.size() + self(), base_ + round));
      wait_for_all(stream, windows_.size(), round);
    }
    must(device_, device_.synchronize(stream));
    base_ += rounds;
    const std::size_t wrong = count_wrong();
    meet();
    return wrong;
  }

  void meet() { fork::gather_over(seat_, {}, Deadline(patience)); }

 private:
  static constexpr std::size_t bytes = elements * sizeof(float);
  std::size_t self() const { return static_cast<std::size_t>(seat_.rank); }

  void fill() const {
    for (int round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < elements; ++i) {
        const float value = input_of(seat_.rank, round, i);
        std::memcpy(hidden_.pinned() + static_cast<std::size_t>(round) * bytes + i * sizeof value, &value,
                    sizeof value);
      }
    hidden_.up(bytes * rounds);
  }

  static void poison(const Scratch& scratch) {
    std::memset(scratch.pinned(), 0x7f, bytes * rounds);
    scratch.up(bytes * rounds);
  }

  /// Everybody exports three allocations and maps the others'.
  void exchange() {
    ByteWriter writer;
    const Window& own = windows_[self()];
    for (const std::byte* memory : {own.input, own.output, reinterpret_cast<std::byte*>(own.counters)}) {
      ExportedMemory exported;
      must(device_, device_.export_memory(memory, exported));
      writer.put_bytes(exported.handle);
      writer.put(exported.bytes);
      writer.put(exported.generation);
    }
    const std::vector<Bytes> all = fork::gather_over(seat_, writer.take(), Deadline(patience));
    for (std::size_t peer = 0; peer < all.size(); ++peer) {
      if (peer == self()) continue;
      ByteReader reader(all[peer]);
      windows_[peer].input = import(reader);
      windows_[peer].output = import(reader);
      windows_[peer].counters = reinterpret_cast<std::uint64_t*>(import(reader));
    }
    meet();
  }

  std::byte* import(ByteReader& reader) const {
    ExportedMemory exported;
    for (std::byte& byte : exported.handle) byte = reader.get<std::byte>();
    exported.bytes = reader.get<std::uint64_t>();
    exported.generation = reader.get<std::uint64_t>();
    std::byte* memory = nullptr;
    must(device_, device_.import_memory(exported, memory));
    return memory;
  }

  void wait_for_all(Stream stream, std::size_t first, std::uint64_t round) const {
    for (std::size_t peer = 0; peer < windows_.size(); ++peer)
      must(device_, device_.wait_value(stream, windows_[self()].counters + first + peer, base_ + round));
  }

  void reduce_share(Stream stream, std::size_t slice) const {
    const std::size_t count = windows_.size();
    const std::size_t begin = elements * self() / count * sizeof(float);
    const std::size_t end = elements * (self() + 1) / count * sizeof(float);
    const std::size_t offset = slice + begin;
    std::vector<const std::byte*> sources;
    std::vector<std::byte*> destinations;
    for (const Window& window : windows_) {
      sources.push_back(window.input + offset);
      destinations.push_back(window.output + offset);
    }
    must(device_, device_.reduce(stream, {DataType::f32, ReduceOp::sum}, sources, destinations, end - begin));
  }

  std::size_t count_wrong() const {
    outputs_.down(bytes * rounds);
    std::size_t wrong = 0;
    for (int round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < elements; ++i) {
        float expected = 0;
        for (int rank = 0; rank < seat_.size; ++rank) expected += input_of(rank, round, i);
        float found = 0;
        std::memcpy(&found, outputs_.pinned() + static_cast<std::size_t>(round) * bytes + i * sizeof found,
                    sizeof found);
        wrong += found != expected;
      }
    return wrong;
  }

  fork::Seat seat_;
  Device& device_;
  Scratch hidden_;  // what this rank's inputs will be
  Scratch inputs_;
  Scratch outputs_;
  std::uint64_t base_ = 0;
  std::vector<Window> windows_;
};

int run(int argc, char** argv) {
  const auto seat = fork::parse_seat(inherited_seat());
  if (!seat) throw Error(StatusCode::invalid_argument, "start me with treering-fork");
  const auto devices = open_backend(text_argument(argc, argv, "--backend=", "sim"), seat->size);
  Device& device = *devices[static_cast<std::size_t>(seat->rank) % devices.size()];
  must(device, device.preload());
  Member member(*seat, device);
  const std::size_t wrong = member.run();
  const std::size_t again = member.run();
  std::printf("rank %d on %s: %zu and %zu wrong elements\n", seat->rank, device.info().name.c_str(), wrong, again);
  return wrong + again == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    std::fprintf(stderr, "ipc_tree: %s\n", error.what());
    return 1;
  }
}
