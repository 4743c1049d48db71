#include "engine/cause_file.h"

#include <fmt/format.h>

#include <cstdio>

namespace treering {

void append_cause(const std::string& path, int rank, const Status& cause, const Log& log) {
  std::FILE* const file = std::fopen(path.c_str(), "ae");
  const std::string line = fmt::format("rank {}: {}\n", rank, cause.message());
  const bool written = file != nullptr && std::fwrite(line.data(), 1, line.size(), file) == line.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!written || !closed) log.warning(fmt::format("cannot append the cause of the failure to {}", path));
}

}  // namespace treering
