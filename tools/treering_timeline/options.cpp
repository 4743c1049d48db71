#include "tools/treering_timeline/options.h"

#include <CLI/CLI.hpp>

#include <cmath>

namespace treering::tools {
namespace {

constexpr const char* about =
    "Reads what the ranks of a job recorded (TREERING_TIMELINE=DIR) and shows who waited for whom.\n"
    "Every command takes the directory, or some of its files. Ranks that are missing and files that a death tore are "
    "said "
    "and skipped.";

constexpr const char* examples =
    "Examples:\n"
    "  treering-timeline summary traces\n"
    "  treering-timeline report traces -o traces.html\n"
    "  treering-timeline merge traces -o traces.json.gz --from 1000 --to 1500\n\n"
    "Exit status: 0 done, 1 the files could not be used (check: something is wrong with them), 2 wrong command line.";

class Parser {
 public:
  explicit Parser(TimelineOptions& options) : options_(options), app_(about, "treering-timeline") {
    app_.footer(examples);
    app_.require_subcommand(1);
    summary();
    merge();
    report();
    diff();
    check();
    top();
  }

  bool parse(int argc, const char* const* argv, int& exit_code) {
    try {
      app_.parse(argc, argv);
      if (from_) options_.from = nanoseconds(*from_);
      if (to_) options_.to = nanoseconds(*to_);
      if (options_.from && options_.to && *options_.to <= *options_.from)
        throw CLI::ValidationError("--to must be later than --from");
    } catch (const CLI::ParseError& error) {
      exit_code = app_.exit(error) == 0 ? 0 : 2;
      return false;
    }
    return true;
  }

 private:
  static Nanoseconds nanoseconds(double milliseconds) {
    return static_cast<Nanoseconds>(std::llround(milliseconds * 1e6));
  }

  CLI::App* command(Command which, const std::string& name, const std::string& what) {
    CLI::App* sub = app_.add_subcommand(name, what);
    sub->callback([this, which] { options_.command = which; });
    return sub;
  }

  CLI::Option* paths(CLI::App* sub) {
    return sub->add_option("PATH", options_.paths, "the directory, or files")->required()->type_name("");
  }

  void window(CLI::App* sub) {
    const auto most = CLI::Range(0.0, 1e12).description("");
    sub->add_option("--from", from_, "leave out what ends before, in milliseconds from the first event")
        ->check(most)
        ->type_name("MS");
    sub->add_option("--to", to_, "leave out what begins later")->check(most)->type_name("MS");
  }

  void output(CLI::App* sub, const std::string& what) {
    sub->add_option("-o,--output", options_.output, what)->required()->type_name("FILE");
  }

  void json(CLI::App* sub) { sub->add_flag("--json", options_.json, "one JSON object instead of text"); }

  void summary() {
    CLI::App* sub = command(Command::summary, "summary", "what costs time, whose doing it is, and which knob to turn");
    paths(sub);
    json(sub);
  }

  void merge() {
    CLI::App* sub =
        command(Command::merge, "merge", "all ranks in one Chrome trace, for ui.perfetto.dev or chrome://tracing");
    paths(sub);
    output(sub, "the JSON file; compressed if its name ends in .gz");
    window(sub);
  }

  void report() {
    CLI::App* sub = command(Command::report, "report", "one HTML page that needs no network");
    paths(sub);
    output(sub, "the page");
    window(sub);
  }

  void diff() {
    CLI::App* sub = command(Command::diff, "diff", "what changed from one run to another");
    paths(sub)->expected(2)->description("directories (or single files) of the two runs");
    json(sub);
  }

  void check() {
    CLI::App* sub =
        command(Command::check, "check", "whether the files are whole and make sense; exit status 1 if not");
    paths(sub);
  }

  void top() {
    CLI::App* sub = command(Command::top, "top", "a running job, live in the terminal");
    paths(sub);
    sub->add_option("--every", options_.seconds_between, "seconds between two pictures (1)")
        ->check(CLI::Range(0.05, 3600.0).description(""))
        ->type_name("S");
    sub->add_option("--times", options_.times, "end after so many pictures (0: on ctrl-C)")
        ->check(CLI::Range(0, 1 << 30).description(""))
        ->type_name("N");
  }

  TimelineOptions& options_;
  CLI::App app_;
  std::optional<double> from_;
  std::optional<double> to_;
};

}  // namespace

std::optional<TimelineOptions> parse_timeline_options(int argc, const char* const* argv, int& exit_code) {
  TimelineOptions options;
  Parser parser(options);
  if (!parser.parse(argc, argv, exit_code)) return std::nullopt;
  return options;
}

}  // namespace treering::tools
