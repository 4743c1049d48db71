#include "transport/shm/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

namespace treering::transport::shm {

UniqueFd make_memory_file(const char* label, std::size_t bytes) {
  UniqueFd file(::memfd_create(label, MFD_CLOEXEC));
  if (file.valid() && ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return {};
  return file;
}

}  // namespace treering::transport::shm
