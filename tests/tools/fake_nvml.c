/* Stands in for the driver's management library: four GPUs, joined in a ring by two NVLinks each, or by a switch, or a
 * driver that is ill. What it says is chosen when it is compiled. */

#include <stdio.h>
#include <string.h>

enum { RING, SWITCHED, ILL };
enum { SUCCESS = 0, INVALID = 2, NOT_SUPPORTED = 3, ILLNESS = 18, GPUS = 4 };

struct pci_info {
  char short_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

static unsigned number_of(void* device) { return (unsigned)((char*)device - (char*)0) - 1; }

static void describe(unsigned bus, struct pci_info* info) {
  memset(info, 0, sizeof *info);
  info->bus = bus;
  snprintf(info->bus_id, sizeof info->bus_id, "00000000:%02X:00.0", bus);
}

int nvmlInit_v2(void) { return WHAT == ILL ? ILLNESS : SUCCESS; }
int nvmlShutdown(void) { return SUCCESS; }
const char* nvmlErrorString(int code) {
  return code == ILLNESS ? "RM has detected an NVML/RM version mismatch." : "Something else";
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = GPUS;
  return SUCCESS;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = (char*)0 + index + 1;
  return index < GPUS ? SUCCESS : INVALID;
}
int nvmlDeviceGetName(void* device, char* name, unsigned size) {
  snprintf(name, size, "Fake %u", number_of(device));
  return SUCCESS;
}
int nvmlDeviceGetPciInfo_v3(void* device, struct pci_info* info) {
  describe(number_of(device) + 16, info);
  return SUCCESS;
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  (void)device;
  *major = 9;
  *minor = 0;
  return SUCCESS;
}
int nvmlDeviceGetTopologyCommonAncestor(void* one, void* other, unsigned* level) {
  *level = number_of(one) / 2 == number_of(other) / 2 ? 20 : 50;
  return SUCCESS;
}
int nvmlDeviceGetNvLinkState(void* device, unsigned link, unsigned* active) {
  (void)device;
  *active = link != 4;
  return link < 6 ? SUCCESS : INVALID;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* device, unsigned link, struct pci_info* info) {
  const unsigned own = number_of(device);
  if (WHAT == RING && link == 5) return NOT_SUPPORTED;
  describe(WHAT == SWITCHED ? 200 + link : 16 + (link < 2 ? own + 1 : own + 3) % GPUS, info);
  return SUCCESS;
}
int nvmlDeviceGetNvLinkRemoteDeviceType(void* device, unsigned link, unsigned* type) {
  (void)device;
  (void)link;
  *type = WHAT == SWITCHED ? 2 : 0;
  return SUCCESS;
}
