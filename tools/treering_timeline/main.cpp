#include <cstdio>
#include <exception>
#include <iostream>

#include "tools/treering_timeline/check.h"
#include "tools/treering_timeline/diff.h"
#include "tools/treering_timeline/load.h"
#include "tools/treering_timeline/merge.h"
#include "tools/treering_timeline/options.h"
#include "tools/treering_timeline/report.h"
#include "tools/treering_timeline/summary.h"
#include "tools/treering_timeline/top.h"

namespace {

using namespace treering::tools;

Run load_and_say(const std::vector<std::string>& paths) {
  Run run = load_run(paths);
  for (const std::string& said : run.said) std::fprintf(stderr, "treering-timeline: %s\n", said.c_str());
  for (const int rank : run.missing) std::fprintf(stderr, "treering-timeline: there is no file of rank %d\n", rank);
  return run;
}

Interval window_of(const TimelineOptions& options, const Run& run) {
  return {options.from.value_or(run.begin), options.to.value_or(run.end)};
}

int print(const std::string& text) {
  std::cout << text << std::flush;
  return std::cout ? 0 : 1;
}

int run_summary(const TimelineOptions& options) {
  const Run run = load_and_say(options.paths);
  const Joined joined(run);
  const Analysis analysis = analyse(joined);
  return print(options.json ? summary_json(run, analysis) : summary_text(run, analysis));
}

int run_merge(const TimelineOptions& options) {
  const Run run = load_and_say(options.paths);
  const Joined joined(run);
  OutFile out(options.output);
  write_chrome_trace(joined, window_of(options, run), out);
  out.close();
  return 0;
}

int run_report(const TimelineOptions& options) {
  const Run run = load_and_say(options.paths);
  const Joined joined(run);
  OutFile out(options.output);
  write_report(joined, analyse(joined), window_of(options, run), out);
  out.close();
  return 0;
}

int run_diff(const TimelineOptions& options) {
  const Run before = load_and_say({options.paths[0]});
  const Run after = load_and_say({options.paths[1]});
  const Joined joined_before(before);
  const Joined joined_after(after);
  const Difference difference = compare(before, analyse(joined_before), after, analyse(joined_after));
  return print(options.json ? difference_json(difference) : difference_text(difference));
}

int run_check(const TimelineOptions& options) {
  const CheckResult result = check_files(options.paths);
  print(result.text);
  return result.well_formed ? 0 : 1;
}

int run(const TimelineOptions& options) {
  switch (options.command) {
    case Command::summary: return run_summary(options);
    case Command::merge: return run_merge(options);
    case Command::report: return run_report(options);
    case Command::diff: return run_diff(options);
    case Command::check: return run_check(options);
    case Command::top: break;
  }
  return show_top(options);
}

}  // namespace

int main(int argc, char** argv) {
  int exit_code = 0;
  try {
    const auto options = parse_timeline_options(argc, argv, exit_code);
    return options ? run(*options) : exit_code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "treering-timeline: %s\n", error.what());
    return 1;
  }
}
