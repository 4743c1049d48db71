#include <nvtx3/nvToolsExt.h>

#include "timeline/profiler.h"

namespace treering::timeline::profiler {

namespace {

/// One for the process, made when it is first needed; never destroyed, since a profiler may read it to the end.
nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t only = nvtxDomainCreateA("treering");
  return only;
}

nvtxEventAttributes_t attributes_of(const std::string& name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name.c_str();
  return attributes;
}

}  // namespace

void mark(const std::string& name) {
  const nvtxEventAttributes_t attributes = attributes_of(name);
  nvtxDomainMarkEx(domain(), &attributes);
}

void push(const std::string& name) {
  const nvtxEventAttributes_t attributes = attributes_of(name);
  nvtxDomainRangePushEx(domain(), &attributes);
}

void pop() { nvtxDomainRangePop(domain()); }

std::uint64_t begin(const std::string& name) {
  const nvtxEventAttributes_t attributes = attributes_of(name);
  return nvtxDomainRangeStartEx(domain(), &attributes);
}

void end(std::uint64_t range) { nvtxDomainRangeEnd(domain(), range); }

}  // namespace treering::timeline::profiler
