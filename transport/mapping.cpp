#include "transport/mapping.h"

#include <sys/mman.h>

namespace treering::transport {

Mapping::Mapping(void* address, std::size_t bytes) {
  if (address == MAP_FAILED) return;
  data_ = static_cast<std::byte*>(address);
  bytes_ = bytes;
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

Mapping Mapping::anonymous(std::size_t bytes) {
  if (bytes == 0) return {};
  return {::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), bytes};
}

Mapping Mapping::shared(int fd, std::size_t bytes) {
  if (bytes == 0) return {};
  return {::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0), bytes};
}

}  // namespace treering::transport
