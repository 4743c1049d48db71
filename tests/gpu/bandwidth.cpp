// How fast a device's kernels move bytes, beside a plain copy on the device in the same run. Prints one line for each
// kernel; with --least=PERCENT it fails if one reaches less of the copy's rate. A rate counts bytes read and written.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "tests/gpu/scratch.h"

namespace {

using namespace treering;
using namespace treering::device;
using namespace treering::test;

constexpr std::size_t block = std::size_t{1} << 20;

struct Row {
  const char* name;
  double gigabytes;  ///< per second
  bool judged;       ///< shall reach the rate of the copy
};

/// The best of several batches, so that a disturbed one does not count.
double rate(Device& device, Stream stream, std::size_t bytes, const std::function<Status()>& enqueue) {
  constexpr int launches = 20;
  double best = 0;
  for (int batch = 0; batch < 6; ++batch) {
    must(device, device.synchronize(stream));
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i) must(device, enqueue());
    must(device, device.synchronize(stream));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (batch > 0) best = std::max(best, static_cast<double>(bytes) * launches / seconds.count() / 1e9);
  }
  return best;
}

/// Memory for eight sources, eight destinations, and a table that packs it.
struct Stage {
  Device& device;
  std::size_t bytes;  ///< of one operand
  Scratch memory{device, 17 * bytes, block};
  Scratch table{device, block};

  std::byte* operand(std::size_t index) const { return memory.memory() + index * bytes; }
};

double reduction(const Stage& stage, DataType type, std::size_t sources, std::size_t destinations) {
  std::vector<const std::byte*> from;
  std::vector<std::byte*> to;
  for (std::size_t i = 0; i < sources; ++i) from.push_back(stage.operand(i));
  for (std::size_t i = 0; i < destinations; ++i) to.push_back(stage.operand(8 + i));
  const Stream stream = stage.memory.stream();
  return rate(stage.device, stream, (sources + destinations) * stage.bytes,
              [&, type] { return stage.device.reduce(stream, {type, ReduceOp::sum}, from, to, stage.bytes); });
}

/// Pieces of `piece` bytes, 64 apart, put end to end.
double packing(const Stage& stage, std::size_t piece) {
  std::vector<CopySegment> segments;
  const std::size_t most = stage.table.bytes() / sizeof(CopySegment);
  for (std::size_t at = 0, to = 0; at + piece <= stage.bytes && segments.size() < most; at += piece + 64, to += piece)
    segments.push_back({stage.operand(0) + at, stage.operand(8) + to, piece, 0});
  const std::uint64_t total = number_segments(segments);
  std::memcpy(stage.table.pinned(), segments.data(), segments.size() * sizeof(CopySegment));
  const Stream stream = stage.memory.stream();
  return rate(stage.device, stream, 2 * total, [&] {
    return stage.device.copy_segments(stream, reinterpret_cast<const CopySegment*>(stage.table.pinned()),
                                      segments.size(), total);
  });
}

std::vector<Row> measure(Device& device, std::size_t bytes) {
  const Stage stage{device, bytes};
  const Stream stream = stage.memory.stream();
  std::vector<Row> rows;
  rows.push_back(
      {"copy on the device",
       rate(device, stream, 2 * bytes, [&] { return device.copy(stream, stage.operand(0), stage.operand(8), bytes); }),
       false});
  rows.push_back({"reduce f32, 2 to 1", reduction(stage, DataType::f32, 2, 1), true});
  rows.push_back({"reduce f32, 8 to 1", reduction(stage, DataType::f32, 8, 1), true});
  rows.push_back({"reduce f32, 8 to 8", reduction(stage, DataType::f32, 8, 8), true});
  rows.push_back({"reduce bf16, 4 to 1", reduction(stage, DataType::bf16, 4, 1), true});
  rows.push_back({"reduce f16, 4 to 1", reduction(stage, DataType::f16, 4, 1), true});
  rows.push_back({"reduce u8, 4 to 1", reduction(stage, DataType::u8, 4, 1), false});
  rows.push_back({"pack pieces of 1 MiB", packing(stage, block), true});
  rows.push_back({"pack pieces of 64 KiB", packing(stage, 64 * 1024), true});
  rows.push_back({"pack pieces of 1 KiB", packing(stage, 1024), false});
  return rows;
}

int run(int argc, char** argv) {
  const auto devices = open_backend(text_argument(argc, argv, "--backend=", "host"), 1);
  Device& device = *devices.front();
  must(device, device.preload());
  const int mebibytes = std::stoi(text_argument(argc, argv, "--mib=", "128"));
  const int least = std::stoi(text_argument(argc, argv, "--least=", "0"));
  const std::vector<Row> rows = measure(device, static_cast<std::size_t>(mebibytes) * block);
  std::printf("%s, operands of %d MiB\n", device.info().name.c_str(), mebibytes);
  bool fast = true;
  for (const Row& row : rows) {
    const double share = 100 * row.gigabytes / rows.front().gigabytes;
    const bool slow = row.judged && share < least;
    fast = fast && !slow;
    std::printf("  %-24s %8.1f GB/s %6.0f %% of the copy%s\n", row.name, row.gigabytes, share,
                slow ? "  TOO SLOW" : "");
  }
  return fast ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    std::fprintf(stderr, "bandwidth: %s\n", error.what());
    return 1;
  }
}
