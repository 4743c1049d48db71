// Treering against MPI, side by side in one run. Run: mpiexec -n 2 treering_bench [--case NAME] [--rounds R]
//
// Peer and product take turns within each round, with fresh values in all tensors every time; results are checked. The
// slowest rank counts; figures are medians after a warm-up. Trust the ratios, not the milliseconds: the machine's
// other users move those.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/cases.h"
#include "bench/cpu_use.h"

namespace bench {
namespace {

bool on_one_node(const Job& job) { return job.size() > 1 && job.nodes() == 1; }
bool on_several_nodes(const Job& job) { return job.nodes() > 1; }
bool anywhere(const Job&) { return true; }

constexpr Case cases[] = {
    {"resnet50", "the 161 gradients of ResNet-50, 97.5 MiB", on_one_node, run_resnet50},
    {"64MiB", "one tensor of 64 MiB", on_one_node, run_one_big},
    {"1000small", "1000 tensors of 256 elements, handed over at once", on_one_node, run_many_small},
    {"latency", "one tensor of 256 elements, back to back", on_one_node, run_latency},
    {"latency-idle", "one tensor of 256 elements, after 50 ms of idleness", on_one_node, run_latency_after_idle},
    {"cross", "one tensor of 64 MiB over several nodes, Treering alone", on_several_nodes, run_cross},
    {"idle", "CPU used while nothing happens", anywhere, run_idle},
};

struct CommandLine {
  Options options;
  std::vector<std::string> chosen;  ///< empty: all that fit
  std::string json;
};

/// Whether to go on; else `exit_code` says how to end.
bool parse(int argc, char** argv, CommandLine& line, int& exit_code) {
  std::string names;
  for (const Case& one : cases) names += fmt::format("\n  {:<14}{}", one.name, one.what);
  CLI::App app("Compares Treering with MPI. Cases:" + names);
  app.option_defaults()->always_capture_default();
  const auto known = [](const std::string& name) {
    for (const Case& one : cases)
      if (name == one.name) return std::string();
    return "there is no case " + name;
  };
  app.add_option("--case", line.chosen, "only this one; may be given several times")->check(known);
  app.add_option("--rounds", line.options.rounds, "turns of each contestant")->check(CLI::Range(1, 100000));
  app.add_option("--idle-seconds", line.options.idle_seconds, "length of the case idle")->check(CLI::PositiveNumber);
  app.add_option("--json", line.json, "file for the figures");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error);
    return false;
  }
  return true;
}

bool wanted(const Case& one, const CommandLine& line, const Job& job) {
  if (line.chosen.empty()) return one.fits(job);
  return std::ranges::find(line.chosen, one.name) != line.chosen.end();
}

/// Whether all results were right.
bool run(const CommandLine& line, const Job& job) {
  const bool speaks = job.rank() == 0;
  if (speaks)
    fmt::print("{} ranks, {} nodes, {} cores for each process\n{}\n", job.size(), job.nodes(), job.cores(),
               table_head());
  std::vector<Row> all;
  for (const Case& one : cases) {
    if (!wanted(one, line, job)) continue;
    const OthersWatch others;
    std::vector<Row> rows = one.run(job, line.options);
    const double share = others.share(job);
    for (Row& row : rows) {
      row.others = share;
      if (speaks) fmt::print("{}\n", table_line(row));
    }
    if (speaks) fmt::print("{}", others_line(share));
    std::fflush(stdout);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  if (speaks && !line.json.empty())
    write_json(line.json, {job.size(), job.nodes(), job.cores(), line.options.rounds}, all);
  return std::ranges::all_of(all, [](const Row& row) { return row.wrong == 0; });
}

int run_job(int argc, char** argv, const CommandLine& line) {
  const Job job(&argc, &argv);
  try {
    return run(line, job) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "treering_bench: rank %d: %s\n", job.rank(), error.what());
    MPI_Abort(job.communicator(), 1);  // the others may wait for us for ever
    return 1;
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::CommandLine line;
  int exit_code = 0;
  if (!bench::parse(argc, argv, line, exit_code)) return exit_code;
  try {
    return bench::run_job(argc, argv, line);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "treering_bench: %s\n", error.what());
    return 1;
  }
}
