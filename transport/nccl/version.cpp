#include "transport/nccl/version.h"

#include <nccl.h>

namespace treering::transport {

NcclVersions nccl_versions() {
  NcclVersions versions{NCCL_VERSION_CODE, 0};
  if (ncclGetVersion(&versions.linked) != ncclSuccess) versions.linked = 0;
  return versions;
}

}  // namespace treering::transport
