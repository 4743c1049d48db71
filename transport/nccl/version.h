#pragma once

namespace treering::transport {

/// NCCL's versions as it counts them (22809 is 2.28.9); 0 if Treering was built without it.
struct NcclVersions {
  int compiled = 0;  ///< of the header
  int linked = 0;    ///< of the library, 0 also if it does not say
};

/// Any thread; needs no device.
NcclVersions nccl_versions();

}  // namespace treering::transport
