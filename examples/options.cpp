#include "examples/options.h"

#include <CLI/CLI.hpp>

namespace fashion {

std::optional<Options> parse_options(int argc, const char* const* argv, int& exit_code) {
  Options options;
  CLI::App app("Trains a small network on Fashion-MNIST, data-parallel. Run: mpiexec -n 2 train_fashion");
  app.option_defaults()->always_capture_default();
  const auto positive = CLI::Range(1, 1 << 16);
  app.add_option("--data", options.data, "directory of the gzipped IDX files");
  app.add_option("--epochs", options.epochs, "times that every image is seen")->check(positive);
  app.add_option("--batch", options.batch, "images per step, of all ranks together")->check(positive);
  app.add_option("--rate", options.rate, "learning rate")->check(CLI::PositiveNumber);
  app.add_option("--momentum", options.momentum, "share of the last step in the next")->check(CLI::Range(0.0, 1.0));
  app.add_option("--hidden", options.hidden, "units of each hidden layer, e.g. 512,256")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 14));
  app.add_option("--limit", options.limit, "train on the first so many images only (0 = all)");
  app.add_option("--seed", options.seed, "for the initial weights and the order of the images");
  app.add_flag("--ordinary-memory", options.ordinary_memory, "gradients in std::vector, not in the engine's memory");
  app.add_flag("--ranks-check", options.ranks_check, "fail unless all ranks end with the same bits in all weights");
  app.add_option("--loss-log", options.loss_log, "file for the loss of each step, one a line");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error);
    return std::nullopt;
  }
  return options;
}

}  // namespace fashion
