#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/bodies/values.h"
#include "timeline/spool_reader.h"
#include "treering/treering.h"

namespace treering::test {

inline std::vector<timeline::Block> spool_of(const std::string& directory, int rank) {
  std::ifstream file(directory + "/rank-" + std::to_string(rank) + ".trace", std::ios::binary);
  const std::vector<char> raw{std::istreambuf_iterator<char>(file), {}};
  timeline::SpoolReader reader(std::as_bytes(std::span(raw)));
  std::vector<timeline::Block> blocks;
  while (auto block = reader.next()) blocks.push_back(std::move(*block));
  CHECK(reader.skipped() == 0);
  return blocks;
}

/// Every recording began and ended, nothing is unknown.
inline void check_whole(const std::vector<timeline::Block>& blocks, std::size_t recordings) {
  std::size_t begun = 0;
  std::size_t stopped = 0;
  for (const timeline::Block& block : blocks) {
    if (block.begins_recording()) ++begun;
    CHECK(block.unknown == 0);
    for (const timeline::Record& record : block.records)
      if (record.kind == timeline::Kind::stopped) ++stopped;
  }
  CHECK(begun == recordings);
  CHECK(stopped == recordings);
}

/// Under traffic of small and large tensors each rank switches its timeline on and off when it likes, and marks what it
/// does. Results are exact throughout, and what each rank recorded is whole.
inline void timeline_switching(Engine& engine, const std::string& directory, int turns) {
  std::mt19937_64 random(static_cast<std::uint64_t>(engine.rank()) + 17);
  std::size_t recordings = 0;
  bool on = false;
  std::map<std::string, std::vector<std::int32_t>> tensors;
  for (int turn = 0; turn < turns; ++turn) {
    const auto toggle = [&] {
      if (random() % 3 != 0) return;
      on ? engine.timeline_stop() : engine.timeline_start(directory);
      recordings += on ? 0 : 1;
      on = !on;
    };
    toggle();
    std::vector<Handle> handles;
    const auto scope = engine.mark_scope("turn \"" + std::to_string(turn % 3) + "\"");
    for (const std::size_t count : {1U, 333U, 5000U, 60'001U}) {
      const std::string name = "t" + std::to_string(count);
      std::vector<std::int32_t>& tensor = tensors[name];
      tensor.resize(count);
      for (std::size_t i = 0; i < count; ++i)
        tensor[i] = value_of<std::int32_t>(ReduceOp::sum, static_cast<std::uint64_t>(turn), engine.rank(), i);
      handles.push_back(engine.allreduce(name, view(tensor), ReduceOp::sum));
      engine.mark("handed over");
      toggle();
    }
    for (const Handle& handle : handles) handle.wait();
    for (const auto& [name, tensor] : tensors)
      for (std::size_t i = 0; i < tensor.size(); ++i) {
        std::uint32_t sum = 0;
        for (int rank = 0; rank < engine.size(); ++rank)
          sum += static_cast<std::uint32_t>(
              value_of<std::int32_t>(ReduceOp::sum, static_cast<std::uint64_t>(turn), rank, i));
        if (tensor[i] != static_cast<std::int32_t>(sum)) FAIL(name << " is wrong at " << i << " in turn " << turn);
      }
  }
  if (on) engine.timeline_stop();
  if (recordings > 0) check_whole(spool_of(directory, engine.rank()), recordings);
}

}  // namespace treering::test
