#include "transport/nccl/version.h"

namespace treering::transport {

NcclVersions nccl_versions() { return {}; }

}  // namespace treering::transport
