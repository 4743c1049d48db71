#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace treering::topology {

/// Speeds of links in MB/s per direction, nominal: what the wires carry, not what a copy reaches.

/// One NVLink of a GPU with this compute capability times ten; 25000 (the most common) if it is not known.
std::int64_t nvlink_speed(int architecture);

/// Links that a GPU of this compute capability has; the most of all generations if it is not known.
int nvlinks_per_gpu(int architecture);

/// One XGMI link between AMD GPUs.
inline constexpr std::int64_t xgmi_speed = 50000;

/// PCIe from a speed per lane such as "8.0 GT/s PCIe", "16 GT/s" or "32 GT/s PCIe/s" and a number of lanes; nullopt if
/// the text holds no such speed or there are no lanes. Takes line coding into account.
std::optional<std::int64_t> pcie_speed(std::string_view per_lane, int lanes);

/// Where nobody says: PCIe 3.0 x16.
inline constexpr std::int64_t usual_pcie_speed = 15754;

/// Between two NUMA domains of a host, by the words of its CPU description (NCCL XML's arch, vendor, familyid,
/// modelid).
std::int64_t cpu_bus_speed(std::string_view architecture, std::string_view vendor, int family, int model);

/// A network port where nobody says: 100 Gbit/s.
inline constexpr std::int64_t usual_network_speed = 12500;

}  // namespace treering::topology
