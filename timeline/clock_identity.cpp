#include "timeline/clock_identity.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace treering::timeline {

std::string clock_identity() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  if (boot.empty()) return {};
  std::error_code missing;  // kernels before 5.6 have no time namespaces
  const auto space = std::filesystem::read_symlink("/proc/self/ns/time", missing);
  return missing ? boot : boot + " " + space.string();
}

}  // namespace treering::timeline
