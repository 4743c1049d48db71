#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fashion {

/// What the command line of train_fashion can change; `--help` explains each.
struct Options {
  std::string data = "/usr/share/datasets/fashion-mnist";
  int epochs = 10;
  int batch = 128;  ///< images per step, of all ranks together
  float rate = 0.05F;
  float momentum = 0.9F;
  std::vector<int> hidden = {512, 256};
  std::size_t limit = 0;  ///< 0 = all
  std::uint64_t seed = 1;
  bool ordinary_memory = false;
  bool ranks_check = false;
  std::string loss_log;  ///< empty = none
};

/// Nothing if the program shall end at once, with `exit_code`: after --help, or after a message about a wrong option.
std::optional<Options> parse_options(int argc, const char* const* argv, int& exit_code);

}  // namespace fashion
