#include "topology/hardware/usual_speeds.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace treering::topology {

std::int64_t nvlink_speed(int architecture) {
  if (architecture == 0) return 25000;
  if (architecture < 70) return 20000;
  if (architecture >= 100) return 50000;
  return architecture > 80 && architecture < 90 ? 14062 : 25000;  // GA10x drives its links at 56.25/4 GB/s
}

int nvlinks_per_gpu(int architecture) {
  if (architecture == 0 || architecture >= 90) return 18;
  if (architecture >= 80) return architecture == 80 ? 12 : 4;
  return architecture >= 70 ? 6 : 4;
}

std::optional<std::int64_t> pcie_speed(std::string_view per_lane, int lanes) {
  const std::size_t start = per_lane.find_first_of("0123456789");
  if (start == std::string_view::npos || lanes < 1 || lanes > 64) return std::nullopt;
  double transfers = 0;
  const auto parsed = std::from_chars(per_lane.data() + start, per_lane.data() + per_lane.size(), transfers);
  if (parsed.ec != std::errc()) return std::nullopt;
  const std::string_view unit(parsed.ptr, static_cast<std::size_t>(per_lane.data() + per_lane.size() - parsed.ptr));
  if (unit.find("GT/s") == std::string_view::npos || transfers < 1 || transfers > 256) return std::nullopt;
  const double coding = transfers < 6 ? 8.0 / 10 : transfers < 33 ? 128.0 / 130 : 242.0 / 256;
  return std::llround(transfers * coding * 1000 / 8 * lanes);
}

std::int64_t cpu_bus_speed(std::string_view architecture, std::string_view vendor, int family, int model) {
  if (architecture.starts_with("ppc")) return 32000;
  if (vendor == "AuthenticAMD") return 16000;
  if (vendor != "GenuineIntel" || family != 6) return 10000;
  if (model >= 143) return 40000;                            // Sapphire Rapids and later
  return model >= 106 ? 22000 : model >= 85 ? 10000 : 6000;  // Ice Lake; Skylake; Broadwell and before
}

}  // namespace treering::topology
