#include "engine/gather_views.h"

#include <algorithm>
#include <map>

namespace treering {

JobView gather_views(const RankView& mine, int rank, const topology::JobShape& job, const transport::Gather& gather) {
  ByteWriter outline;
  encode_outline(mine, outline);
  std::vector<Outline> outlines;
  for (const Bytes& message : gather(outline.take())) outlines.push_back(decode_outline(message));

  std::map<std::uint64_t, int> speaker_of;
  for (const int speaker : speakers_of_nodes(job, outlines))
    if (speaker >= 0) speaker_of.try_emplace(outlines[static_cast<std::size_t>(speaker)].hash, speaker);
  const bool speaks = std::ranges::any_of(speaker_of, [&](const auto& entry) { return entry.second == rank; });
  ByteWriter machine;
  if (speaks) machine.put_string(mine.machine);
  const std::vector<Bytes> messages = gather(machine.take());
  if (rank != 0) return {};

  std::vector<std::string> machines(outlines.size());
  for (const auto& [hash, speaker] : speaker_of) {
    ByteReader reader(messages[static_cast<std::size_t>(speaker)]);
    machines[static_cast<std::size_t>(speaker)] = reader.get_string(topology::most_topology_bytes);
  }
  return joined_views(job, outlines, machines);
}

}  // namespace treering
