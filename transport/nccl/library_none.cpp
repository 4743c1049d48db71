#include "transport/nccl/library.h"

namespace treering::transport {

Status open_nccl(std::unique_ptr<DeviceCollectives>&) {
  return {StatusCode::unavailable, "Treering was built without NCCL"};
}

}  // namespace treering::transport
