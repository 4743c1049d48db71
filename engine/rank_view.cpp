#include "engine/rank_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include "base/parse_value.h"
#include "topology/read/plain.h"

namespace treering {
namespace {

constexpr std::size_t longest_line = 4096;

std::string line(std::string text) {
  text.resize(std::min(text.size(), longest_line));
  return text;
}

std::string remark_of(const std::vector<std::string>& warnings) {
  if (warnings.empty()) return "";
  return warnings.size() == 1
             ? warnings.front()
             : fmt::format("{} (and {} more, which treering-topo --file shows)", warnings.front(), warnings.size() - 1);
}

void add_words(std::vector<SaidByRanks>& said, const std::string& words, int rank) {
  if (words.empty()) return;
  const auto found = std::ranges::find(said, words, &SaidByRanks::words);
  if (found == said.end())
    said.push_back({words, {rank}});
  else
    found->ranks.push_back(rank);
}

bool has_file(const Outline& outline) { return outline.view.given && outline.hash != 0; }

}  // namespace

topology::ReadResult read_topology_file(const std::string& path) {
  topology::ReadResult failed;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!error && !std::filesystem::is_regular_file(status)) error = std::make_error_code(std::errc::invalid_argument);
  std::ifstream file;
  errno = 0;
  if (!error) file.open(path, std::ios::binary);
  if (!error && !file) error = std::error_code(errno, std::generic_category());
  if (error) {
    failed.warnings.push_back("cannot read it: " +
                              (error == std::errc::invalid_argument ? "it is not a file" : error.message()));
    return failed;
  }
  std::string text(topology::most_topology_bytes + 1, '\0');  // one more than allowed, for the reader to refuse
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return topology::read_topology(text, path);
}

RankView look_around(const Config& config, const HostView& host) {
  RankView view;
  view.domain = host.domain;
  if (!config.topology.empty()) {
    const topology::ReadResult read = read_topology_file(config.topology);
    const std::string name = treering::quoted(config.topology);
    if (read.graph) {
      view.machine = topology::plain_text(*read.graph);
      view.source = name;
      view.given = true;
      if (!read.warnings.empty()) view.remark = line(name + ": " + remark_of(read.warnings));
      return view;
    }
    view.problem = line(name + " is not used: " + (read.warnings.empty() ? "it is empty" : read.warnings.back()));
  }
  if (!host.graph) return view;
  view.machine = topology::plain_text(*host.graph);
  view.source = host.source;
  return view;
}

// FNV-1a.
std::uint64_t machine_hash(const RankView& view) {
  if (view.machine.empty()) return 0;
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : view.machine) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash == 0 ? 1 : hash;
}

void encode_outline(const RankView& view, ByteWriter& writer) {
  writer.put(machine_hash(view));
  writer.put(static_cast<std::uint8_t>(view.given ? 1 : 0));
  writer.put(static_cast<std::int32_t>(view.domain));
  for (const std::string* text : {&view.source, &view.problem, &view.remark}) writer.put_string(line(*text));
}

Outline decode_outline(const Bytes& message) {
  ByteReader reader(message);
  Outline outline;
  outline.hash = reader.get<std::uint64_t>();
  outline.view.given = reader.get<std::uint8_t>() == 1;
  outline.view.domain = std::max(reader.get<std::int32_t>(), -1);
  for (std::string* text : {&outline.view.source, &outline.view.problem, &outline.view.remark})
    *text = reader.get_string(longest_line);
  if (reader.ok() && reader.at_end()) return outline;
  Outline nothing;
  nothing.view.problem = "what was sent about it cannot be read";
  return nothing;
}

std::vector<int> speakers_of_nodes(const topology::JobShape& job, const std::vector<Outline>& outlines) {
  std::vector<int> speakers;
  for (const std::vector<int>& ranks : job.members()) {
    const auto first = [&](auto fits) {
      const auto found =
          std::ranges::find_if(ranks, [&](int rank) { return fits(outlines[static_cast<std::size_t>(rank)]); });
      return found == ranks.end() ? -1 : *found;
    };
    int speaker = first(has_file);
    if (speaker < 0 && has_file(outlines.front())) speaker = 0;
    if (speaker < 0) speaker = first([](const Outline& outline) { return outline.hash != 0; });
    speakers.push_back(speaker);
  }
  return speakers;
}

JobView joined_views(const topology::JobShape& job, const std::vector<Outline>& outlines,
                     const std::vector<std::string>& machines) {
  JobView view;
  for (std::size_t rank = 0; rank < outlines.size(); ++rank) {
    add_words(view.problems, outlines[rank].view.problem, static_cast<int>(rank));
    add_words(view.remarks, outlines[rank].view.remark, static_cast<int>(rank));
  }
  std::map<std::uint64_t, int> known;
  for (const int speaker : speakers_of_nodes(job, outlines)) {
    view.machine_of.push_back(-1);
    if (speaker < 0) continue;
    const Outline& outline = outlines[static_cast<std::size_t>(speaker)];
    const auto [place, fresh] = known.try_emplace(outline.hash, -1);
    if (fresh) {
      topology::ReadResult read =
          topology::read_topology(machines[static_cast<std::size_t>(speaker)], outline.view.source);
      if (read.graph) {
        place->second = static_cast<int>(view.machines.size());
        view.machines.push_back({std::move(*read.graph), outline.view.source, outline.view.given});
      } else {
        add_words(view.problems, "the machine of " + outline.view.source + " is not used: " + read.warnings.back(),
                  speaker);
      }
    }
    view.machine_of.back() = place->second;
  }
  for (const std::vector<int>& ranks : job.members()) {
    std::vector<int>& domains = view.domain_of.emplace_back();
    for (const int rank : ranks) domains.push_back(outlines[static_cast<std::size_t>(rank)].view.domain);
  }
  return view;
}

}  // namespace treering
