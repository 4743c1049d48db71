// The part of NVML's binary interface that is used here, declared by hand: its header comes with the CUDA toolkit, the
// library with the driver, and machines have the one without the other.

#include "device/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

namespace treering::device {

namespace {

constexpr const char* library_name = "libnvidia-ml.so.1";
constexpr unsigned most_gpus = 64;
constexpr unsigned most_links = 36;  // more than any GPU has; asking for one too many is an error that ends the loop
constexpr int success = 0;

using Device = void*;
struct PciInfo {
  std::array<char, 16> short_bus_id;
  unsigned domain, bus, device, device_id, subsystem_id;
  std::array<char, 32> bus_id;
};
enum : unsigned { remote_gpu = 0, remote_switch = 2 };

struct Close {
  void operator()(void* library) const { dlclose(library); }
};

/// Entry points. Those that may be null are missing in old drivers.
struct Nvml {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*device)(unsigned, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*pci)(Device, PciInfo*) = nullptr;
  int (*capability)(Device, int*, int*) = nullptr;
  int (*ancestor)(Device, Device, unsigned*) = nullptr;       // may be null
  int (*link_state)(Device, unsigned, unsigned*) = nullptr;   // may be null
  int (*remote_pci)(Device, unsigned, PciInfo*) = nullptr;    // may be null
  int (*remote_type)(Device, unsigned, unsigned*) = nullptr;  // may be null

  bool load(void* library) {
    const auto find = [&](auto& entry, const char* symbol) {
      entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(dlsym(library, symbol));
      return entry != nullptr;
    };
    find(ancestor, "nvmlDeviceGetTopologyCommonAncestor");
    find(link_state, "nvmlDeviceGetNvLinkState");
    find(remote_pci, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
    find(remote_type, "nvmlDeviceGetNvLinkRemoteDeviceType");
    return find(init, "nvmlInit_v2") && find(shutdown, "nvmlShutdown") && find(error_text, "nvmlErrorString") &&
           find(count, "nvmlDeviceGetCount_v2") && find(device, "nvmlDeviceGetHandleByIndex_v2") &&
           find(name, "nvmlDeviceGetName") && find(pci, "nvmlDeviceGetPciInfo_v3") &&
           find(capability, "nvmlDeviceGetCudaComputeCapability");
  }
};

template <std::size_t size>
std::string text_of(const std::array<char, size>& text) {
  return {text.begin(), std::ranges::find(text, '\0')};
}

PciMeeting meeting_of(unsigned level) {
  if (level < 10) return PciMeeting::same_board;
  if (level < 20) return PciMeeting::one_switch;
  if (level < 30) return PciMeeting::several_switches;
  if (level < 40) return PciMeeting::host_bridge;
  return level < 50 ? PciMeeting::numa_domain : PciMeeting::system;
}

class Surveyor {
 public:
  explicit Surveyor(const Nvml& nvml) : nvml_(nvml) {}

  GpuSurvey run() {
    unsigned count = 0;
    if (!good(nvml_.count(&count), "counting GPUs")) return std::move(survey_);
    for (unsigned i = 0; i < std::min(count, most_gpus); ++i)
      if (!add(i)) return failed();
    const std::size_t n = devices_.size();
    survey_.links.assign(n * n, 0);
    survey_.meeting.assign(n * n, PciMeeting::unknown);
    for (std::size_t i = 0; i < n; ++i) {
      add_links(i);
      add_meetings(i);
    }
    return std::move(survey_);
  }

 private:
  bool good(int code, const char* what) {
    if (code == success) return true;
    survey_.problem = std::string(library_name) + ": " + what + ": " + nvml_.error_text(code);
    return false;
  }
  GpuSurvey failed() {
    survey_.gpus.clear();
    return std::move(survey_);
  }

  bool add(unsigned number) {
    Device device = nullptr;
    std::array<char, 96> name{};
    PciInfo pci{};
    if (!good(nvml_.device(number, &device), "asking for a GPU")) return false;
    if (!good(nvml_.pci(device, &pci), "asking for a GPU's bus address")) return false;
    SurveyedGpu gpu;
    gpu.bus_id = text_of(pci.bus_id);
    if (nvml_.name(device, name.data(), static_cast<unsigned>(name.size())) == success) gpu.name = text_of(name);
    int major = 0, minor = 0;
    if (nvml_.capability(device, &major, &minor) == success) gpu.architecture = major * 10 + minor;
    survey_.gpus.push_back(std::move(gpu));
    devices_.push_back(device);
    return true;
  }

  void add_links(std::size_t own) {
    if (nvml_.link_state == nullptr || nvml_.remote_pci == nullptr) return;
    for (unsigned link = 0; link < most_links; ++link) {
      unsigned active = 0, type = remote_gpu;
      if (nvml_.link_state(devices_[own], link, &active) != success) break;
      PciInfo remote{};
      if (active == 0 || nvml_.remote_pci(devices_[own], link, &remote) != success) continue;
      const std::string bus = text_of(remote.bus_id);
      const auto other = std::ranges::find(survey_.gpus, bus, &SurveyedGpu::bus_id);
      const bool told = nvml_.remote_type != nullptr && nvml_.remote_type(devices_[own], link, &type) == success;
      if (other != survey_.gpus.end())
        ++survey_.links[own * devices_.size() + static_cast<std::size_t>(other - survey_.gpus.begin())];
      else if (told && type == remote_switch)
        ++survey_.gpus[own].switch_links;
    }
  }

  void add_meetings(std::size_t own) {
    if (nvml_.ancestor == nullptr) return;
    for (std::size_t other = 0; other < devices_.size(); ++other) {
      unsigned level = 0;
      if (other == own || nvml_.ancestor(devices_[own], devices_[other], &level) != success) continue;
      survey_.meeting[own * devices_.size() + other] = meeting_of(level);
    }
  }

  const Nvml& nvml_;
  GpuSurvey survey_;
  std::vector<Device> devices_;
};

}  // namespace

GpuSurvey survey_by_nvml() {
  GpuSurvey survey;
  const std::unique_ptr<void, Close> library(dlopen(library_name, RTLD_NOW | RTLD_LOCAL));
  if (!library) return survey;
  Nvml nvml;
  if (!nvml.load(library.get())) {
    survey.problem = std::string(library_name) + " lacks functions that every driver since 2018 has";
    return survey;
  }
  if (const int code = nvml.init(); code != success) {
    survey.problem = std::string(library_name) + ": starting it: " + nvml.error_text(code);
    return survey;
  }
  survey = Surveyor(nvml).run();
  nvml.shutdown();
  return survey;
}

}  // namespace treering::device
