#include "tools/treering_timeline/load.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "tools/treering_timeline/clock_shift.h"
#include "tools/treering_timeline/mapped_file.h"
#include "tools/treering_timeline/number_operations.h"
#include "tools/treering_timeline/rank_loader.h"

namespace treering::tools {
namespace {

namespace fs = std::filesystem;

constexpr int most_ranks = 1 << 20;  // a file that says more is not believed

struct Loaded {
  RankTrace trace;
  FileFacts facts;
};

/// The N of "rank-N...": for a file whose beginning is lost.
int rank_in_name(const fs::path& path) {
  const std::string name = path.filename().string();
  int rank = -1;
  if (name.starts_with("rank-")) std::from_chars(name.data() + 5, name.data() + name.size(), rank);
  return rank;
}

void say_damage(const timeline::SpoolReader& reader, std::uint64_t unknown_records, const std::string& name, Run& run) {
  if (reader.later_version()) run.said.push_back(name + ": holds blocks of another version, which are skipped");
  if (reader.torn_at_end() > 0)
    run.said.push_back(name + ": its last block is torn (" + std::to_string(reader.torn_at_end()) +
                       " bytes), as a death leaves it; the rest is used");
  if (const std::size_t damaged = reader.skipped() - reader.torn_at_end(); damaged > 0)
    run.said.push_back(name + ": " + std::to_string(damaged) + " damaged bytes are skipped");
  if (unknown_records > 0)
    run.said.push_back(name + ": " + std::to_string(unknown_records) + " records of unknown kinds are skipped");
}

void read_file(const fs::path& path, RankLoader& loader, Run& run) {
  const MappedFile file(path);
  timeline::SpoolReader reader(file.bytes());
  std::uint64_t unknown_records = 0;
  while (const auto block = reader.next()) {
    loader.take(*block);
    unknown_records += block->unknown;
  }
  say_damage(reader, unknown_records, path.string(), run);
}

/// Nothing, and a sentence in `run.said`, if the files hold no recording.
std::optional<Loaded> load_files(const TraceFiles& files, Run& run) {
  RankLoader loader(run.names);
  for (const fs::path& path : files) read_file(path, loader, run);
  const std::string name = files.back().string();
  Loaded loaded{loader.finish(), loader.facts()};
  if (loaded.facts.rank < 0 && loaded.trace.records > 0) loaded.facts.rank = rank_in_name(files.back());
  if (loaded.facts.rank < 0 || loaded.facts.rank >= most_ranks || loaded.facts.size > most_ranks) {
    run.said.push_back(name + ": holds no whole recording, skipped");
    return std::nullopt;
  }
  loaded.trace.rank = loaded.facts.rank;
  loaded.trace.file = name;
  if (loaded.trace.dropped > 0)
    run.said.push_back(name + ": the recorder had to drop " + std::to_string(loaded.trace.dropped) + " events");
  return loaded;
}

/// Unix time. Sums of what a file says wrap instead of overflowing.
std::int64_t began(const Loaded& file) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(file.facts.began) +
                                   static_cast<std::uint64_t>(file.facts.wall_ahead));
}

/// Files of one engine only: the one that began last. Of two files of one rank, also that one.
std::vector<Loaded> newest_engine(std::vector<Loaded> files, Run& run) {
  std::sort(files.begin(), files.end(), [](const Loaded& a, const Loaded& b) { return began(a) > began(b); });
  std::vector<Loaded> kept;
  std::set<int> ranks;
  for (Loaded& file : files) {
    const std::string& job = kept.empty() ? file.facts.job : kept.front().facts.job;
    if (!file.facts.job.empty() && file.facts.job != job) {
      run.said.push_back(file.trace.file + ": belongs to another job or engine, skipped");
    } else if (!ranks.insert(file.facts.rank).second) {
      run.said.push_back(file.trace.file + ": an older recording of rank " + std::to_string(file.facts.rank) +
                         ", skipped");
    } else {
      kept.push_back(std::move(file));
    }
  }
  return kept;
}

}  // namespace

std::vector<TraceFiles> find_traces(const std::vector<std::string>& paths) {
  std::map<std::string, TraceFiles> found;  // by the name without the endings
  const auto add = [&found](const fs::path& path) {
    std::string key = path.string();
    for (const std::string ending : {".trace", ".old"})
      if (key.ends_with(ending)) key.resize(key.size() - ending.size());
    found[key].push_back(path);
  };
  for (const std::string& path : paths) {
    if (!fs::exists(path)) throw std::runtime_error("there is no " + path);
    if (!fs::is_directory(path)) {
      add(path);
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(path))
      if (entry.path().extension() == ".trace" && !entry.is_directory()) add(entry.path());
  }
  if (found.empty())
    throw std::runtime_error("no .trace file in " + paths.front() +
                             "; TREERING_TIMELINE names the directory that a job records into");
  std::vector<TraceFiles> engines;
  for (auto& [key, files] : found) {
    std::sort(files.begin(), files.end());  // "rank-0.old.trace" comes before "rank-0.trace"
    engines.push_back(std::move(files));
  }
  return engines;
}

Run load_run(const std::vector<std::string>& paths) {
  Run run;
  std::vector<Loaded> files;
  for (const TraceFiles& traces : find_traces(paths))
    if (auto loaded = load_files(traces, run)) files.push_back(std::move(*loaded));
  for (Loaded& file : newest_engine(std::move(files), run)) {
    run.size = std::max({run.size, file.facts.size, file.facts.rank + 1});
    run.ranks.push_back(std::move(file.trace));
  }
  if (run.ranks.empty()) {
    std::string reasons;
    for (const std::string& said : run.said) reasons += "; " + said;
    throw std::runtime_error("nothing to show" + reasons);
  }
  std::sort(run.ranks.begin(), run.ranks.end(), [](const RankTrace& a, const RankTrace& b) { return a.rank < b.rank; });
  std::size_t next = 0;
  for (int rank = 0; rank < run.size; ++rank) {
    if (next < run.ranks.size() && run.ranks[next].rank == rank) {
      ++next;
    } else {
      run.missing.push_back(rank);
    }
  }
  number_operations(run);
  shift_to_zero(run);
  return run;
}

}  // namespace treering::tools
