#include "timeline/spool_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "treering/status.h"

namespace treering::timeline {

namespace {

constexpr const char* ending = ".trace";

struct Owner {
  std::string directory;
  int rank = 0;
  std::string host;
};

[[noreturn]] void refuse(const Owner& owner, const std::string& path, int why) {
  throw Error(StatusCode::unavailable, "timeline: rank " + std::to_string(owner.rank) + " on " + owner.host +
                                           " cannot write " + path + ": " + std::generic_category().message(why) +
                                           "; set TREERING_TIMELINE to a directory that every rank may write, or unset "
                                           "it");
}

bool lock_for_writing(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

/// The first name of the rank that no other engine is writing to.
UniqueFd open_unused(const Owner& owner, std::string& path) {
  constexpr int most_engines = 64;
  for (int engine = 1; engine <= most_engines; ++engine) {
    path = owner.directory + "/rank-" + std::to_string(owner.rank) + (engine == 1 ? "" : "-" + std::to_string(engine)) +
           ending;
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!fd.valid()) refuse(owner, path, errno);
    if (!lock_for_writing(fd.get())) continue;
    if (::ftruncate(fd.get(), 0) != 0) refuse(owner, path, errno);
    return fd;
  }
  refuse(owner, path, EBUSY);
}

}  // namespace

SpoolFile::SpoolFile(const std::string& directory, int rank, const std::string& host) {
  const Owner owner{directory, rank, host};
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) refuse(owner, directory, failure.value());
  fd_ = open_unused(owner, path_);
  for (const char* other : {".json", ".old.trace"}) ::unlink(path_with(other).c_str());
}

/// The lock is given back by name: a child of a fork may hold the same open file for longer.
SpoolFile::~SpoolFile() { ::flock(fd_.get(), LOCK_UN); }

bool SpoolFile::append(std::span<const std::byte> block) {
  std::size_t done = 0;
  while (done < block.size()) {
    const ssize_t written =
        ::pwrite(fd_.get(), block.data() + done, block.size() - done, static_cast<off_t>(size_ + done));
    if (written > 0) {
      done += static_cast<std::size_t>(written);
    } else if (written == 0 || errno != EINTR) {
      failure_ = written == 0 ? ENOSPC : errno;
      if (done > 0) static_cast<void>(::ftruncate(fd_.get(), static_cast<off_t>(size_)) == 0);
      return false;
    }
  }
  size_ += block.size();
  return true;
}

bool SpoolFile::retire() {
  const std::string old = path_with(".old.trace");
  if (::rename(path_.c_str(), old.c_str()) != 0) {
    failure_ = errno;
    return false;
  }
  UniqueFd fresh(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fresh.valid() || !lock_for_writing(fresh.get())) {
    failure_ = fresh.valid() ? EBUSY : errno;
    ::rename(old.c_str(), path_.c_str());
    return false;
  }
  fd_ = std::move(fresh);
  size_ = 0;
  return true;
}

std::string SpoolFile::path_with(const std::string& other) const {
  return path_.substr(0, path_.size() - std::char_traits<char>::length(ending)) + other;
}

}  // namespace treering::timeline
