#pragma once

#include <string>
#include <vector>

namespace treering::device {

/// Where two GPUs' PCIe paths meet, nearest first; `unknown` where nobody says.
enum class PciMeeting : unsigned char {
  same_board,
  one_switch,
  several_switches,
  host_bridge,
  numa_domain,
  system,
  unknown
};

struct SurveyedGpu {
  std::string name;
  std::string bus_id;
  int architecture = 0;  ///< compute capability times ten; 0 = not known
  int switch_links = 0;  ///< active NVLinks that end at a switch
};

/// The GPUs of this machine, as its driver describes them.
struct GpuSurvey {
  std::vector<SurveyedGpu> gpus;
  std::vector<int> links;           ///< n x n: active NVLinks between two GPUs
  std::vector<PciMeeting> meeting;  ///< n x n
  std::string problem;              ///< why there is no survey although somebody should know; one line
};

}  // namespace treering::device
