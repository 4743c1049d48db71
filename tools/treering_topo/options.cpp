#include "tools/treering_topo/options.h"

#include <CLI/CLI.hpp>

#include "base/parse_value.h"
#include "topology/build/forest.h"
#include "topology/read/text_scan.h"
#include "treering/status.h"

namespace treering::tools {
namespace {

constexpr const char* about =
    "Shows how the devices of a machine are connected, which trees and rings Treering would use on it, how fast they "
    "are\n"
    "and how far that is from what is physically possible. Without --file it looks at this machine; with a file it "
    "needs\n"
    "no GPU, so somebody else's cluster can be planned on a laptop.\n\n"
    "Files: NCCL topology XML (NCCL_TOPO_DUMP_FILE), the output of 'nvidia-smi topo -m', hwloc XML ('lstopo --of "
    "xml'),\n"
    "a matrix of n lines with n whole numbers (links per pair), or Treering's own format (see --format plain).";

constexpr const char* examples =
    "Examples:\n"
    "  nvidia-smi topo -m > machine.txt; treering-topo --file machine.txt\n"
    "  treering-topo --file machine.txt --devices 0,2,3 --builder packed\n"
    "  treering-topo --file machine.txt --explain 64M\n"
    "  treering-topo --file machine.txt --builder packed --format svg > trees.svg\n\n"
    "Exit status: 0 done, 1 the file or machine could not be used, 2 wrong command line.";

std::uint64_t bytes_of(const std::string& text) {
  try {
    return parse_bytes(text);
  } catch (const Error& error) {
    throw CLI::ValidationError(error.what());
  }
}

void add_inputs(CLI::App& app, TopoOptions& options, std::string& speed) {
  using Matrix = topology::ReadOptions::Matrix;
  static const std::map<std::string, Matrix> meanings{
      {"links", Matrix::links}, {"rank", Matrix::rank}, {"reversed-rank", Matrix::reversed_rank}};
  app.add_option("--file", options.file, "read the machine from this file; - is standard input")->type_name("FILE");
  app.add_option("--devices", options.devices, "plan for these devices only, by their number in the list, e.g. 0,2,3")
      ->delimiter(',')
      ->check(CLI::Range(0, 1 << 16).description(""))
      ->type_name("LIST");
  app.add_option("--matrix", options.read.matrix,
                 "what a matrix of whole numbers holds: links per pair, or CUDA's performance rank (0 is best), or the "
                 "same reversed (as CUDA 9.0 gave it)")
      ->transform(CLI::CheckedTransformer(meanings).description(""))
      ->type_name("links|rank|reversed-rank");
  app.add_option("--link-speed", speed, "of one NVLink in one direction, e.g. 25GB/s, where the file does not say");
  app.add_option("--links-per-gpu", options.read.links_per_gpu,
                 "NVLinks that a GPU has; nvidia-smi's matrix is taken as switched if a row shows more (default: 18)")
      ->check(CLI::Range(1, 64).description(""))
      ->type_name("N");
}

void add_outputs(CLI::App& app, TopoOptions& options, std::vector<std::string>& sizes, std::string& explain,
                 std::string& simulate) {
  using Output = TopoOptions::Output;
  static const std::map<std::string, Output> formats{{"text", Output::text},       {"json", Output::json},
                                                     {"dot", Output::dot_machine}, {"dot-trees", Output::dot_trees},
                                                     {"svg", Output::svg_trees},   {"plain", Output::plain}};
  std::string names;
  for (const topology::Builder& builder : topology::builders())
    names += (names.empty() ? "" : ",") + std::string(builder.name);
  const auto known = [names](const std::string& name) {
    for (const topology::Builder& builder : topology::builders())
      if (builder.name == name) return std::string();
    return "there is no builder '" + name + "'; there are " + names;
  };
  app.add_option("--builder", options.builders, "plan with these only: " + names)
      ->delimiter(',')
      ->check(known)
      ->type_name("LIST");
  app.add_option("--sizes", sizes, "predict times for these sizes, e.g. 64K,1M,256M")
      ->delimiter(',')
      ->type_name("LIST");
  app.add_option("--explain", explain, "say which plan would be taken for this size, and why")->type_name("SIZE");
  app.add_option("--simulate", simulate,
                 "run the programs of every plan for this size in virtual time on these links; beside the predictions")
      ->type_name("SIZE");
  app.add_option("--format", options.output,
                 "text; json; dot: the machine for Graphviz; dot-trees: the plans; svg: drawings of the plans; plain: "
                 "Treering's "
                 "own file format")
      ->transform(CLI::CheckedTransformer(formats).description(""))
      ->type_name("text|json|dot|dot-trees|svg|plain");
  app.add_flag_callback("--json", [&options] { options.output = Output::json; }, "the same as --format json");
  app.add_flag_callback("--dot", [&options] { options.output = Output::dot_machine; }, "the same as --format dot");
  app.add_flag("--machine-only", options.machine_only, "show what was found, without plans");
}

}  // namespace

std::optional<TopoOptions> parse_topo_options(int argc, const char* const* argv, int& exit_code) {
  TopoOptions options;
  std::string speed, explain, simulate;
  std::vector<std::string> sizes;
  CLI::App app(about, "treering-topo");
  app.footer(examples);
  add_inputs(app, options, speed);
  add_outputs(app, options, sizes, explain, simulate);
  try {
    app.parse(argc, argv);
    for (const std::string& size : sizes) options.sizes.push_back(bytes_of(size));
    if (!explain.empty()) options.explain = bytes_of(explain);
    if (!simulate.empty()) options.simulate = bytes_of(simulate);
    if (!speed.empty()) {
      const auto parsed = topology::to_speed(speed);
      if (!parsed)
        throw CLI::ValidationError("--link-speed " + speed + ": expected e.g. 25GB/s, 25000MB/s or 200Gbit/s");
      options.read.link_speed = *parsed;
    }
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  if (options.sizes.empty()) options.sizes = {64 << 10, 1 << 20, 16 << 20, 256 << 20};
  return options;
}

}  // namespace treering::tools
