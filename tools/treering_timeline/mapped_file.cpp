#include "tools/treering_timeline/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "base/unique_fd.h"

namespace treering::tools {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::runtime_error("cannot read " + path.string() + ": " + std::generic_category().message(errno));
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts{};
  if (fd.get() < 0 || fstat(fd.get(), &facts) != 0) fail(path);
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0) return;
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (address == MAP_FAILED) fail(path);
  bytes_ = {static_cast<const std::byte*>(address), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace treering::tools
