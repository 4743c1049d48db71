#include <doctest/doctest.h>

#include <random>

#include "tests/topology/read_support.h"
#include "topology/read/plain.h"

namespace treering::topology {
namespace {

const std::vector<std::string> names{"dgx1v.matrix.txt", "dgx1v.smi.txt",      "dgx1v.nccl.xml",  "dgx1v.topo",
                                     "minsky.hwloc.xml", "switched.hwloc.xml", "virtual.nccl.xml"};

/// Reads, and if that gives a machine, does with it what the tool does.
void use(const std::string& text) {
  const ReadResult result = read_topology(text, "garbage");
  CHECK(result.warnings.size() <= 23);
  if (!result.graph) {
    CHECK(!result.warnings.empty());
    return;
  }
  const Projection projection = project_all(*result.graph);
  CHECK(projection.names.size() == static_cast<std::size_t>(projection.links.vertices));
  for (const std::int64_t capacity : projection.links.capacity) CHECK(capacity >= 0);
  const ReadResult again = read_topology(plain_text(*result.graph), "again");
  CHECK_MESSAGE(again.graph.has_value(), again.warnings.back());
}

TEST_CASE("files that end anywhere are read or refused") {
  for (const std::string& name : names) {
    const std::string text = fixture(name);
    for (std::size_t length = 0; length < text.size(); length += 1 + text.size() / 97) use(text.substr(0, length));
  }
}

TEST_CASE("files with damaged bytes, lines taken out or doubled are read or refused") {
  std::mt19937 random(7);
  for (const std::string& name : names) {
    const std::string whole = fixture(name);
    for (int round = 0; round < 60; ++round) {
      std::string text = whole;
      const auto at = [&] { return random() % text.size(); };
      for (unsigned change = 0; change < 1 + random() % 8; ++change) text[at()] = static_cast<char>(random());
      const std::size_t line = text.find('\n', at());
      if (round % 3 == 0 && line != std::string::npos) text.erase(line, text.find('\n', line + 1) - line);
      if (round % 3 == 1 && line != std::string::npos) text.insert(line, text.substr(line / 2, line - line / 2));
      use(text);
    }
  }
}

TEST_CASE("numbers out of all bounds are refused or cut") {
  use("treering-topology 1\nnode a gpu number=99999999999999999999\n");
  use("treering-topology 1\nnode a gpu\nnode b gpu\nlink a b nvlink count=4096 speed=999GB/s\n");
  use("<system version='1'><cpu numaid='99999999999'><pci busid='x' class='0x03'><gpu dev='-5' sm='x'><nvlink "
      "count='-1' "
      "target='x'/></gpu></pci></cpu></system>");
  use("<topology><distances2hetero name='NVLinkBandwidth'><indexes>a b</indexes><u64values>1 2 3 "
      "99999999999999999999</u64values></distances2hetero></topology>");
}

}  // namespace
}  // namespace treering::topology
