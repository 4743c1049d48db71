#include "timeline/trace_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/check.h"
#include "timeline/page_step.h"
#include "treering/status.h"

namespace treering::timeline {

namespace {

[[noreturn]] void refuse(const RecorderOptions& options, const std::string& path, int why) {
  throw Error(StatusCode::unavailable, "timeline: rank " + std::to_string(options.rank) + " on " + options.host +
                                           " cannot write " + path + ": " + std::generic_category().message(why) +
                                           "; set TREERING_TIMELINE to a directory that every rank may write, or unset "
                                           "it");
}

/// The first name of the rank that no other engine is writing to.
UniqueFd open_unused(const RecorderOptions& options, std::string& path) {
  constexpr int most_engines = 64;
  for (int engine = 1; engine <= most_engines; ++engine) {
    path = options.directory + "/rank-" + std::to_string(options.rank) +
           (engine == 1 ? "" : "-" + std::to_string(engine)) + ".json";
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!fd.valid()) refuse(options, path, errno);
    const bool taken = ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (taken) continue;
    if (::ftruncate(fd.get(), 0) != 0) refuse(options, path, errno);
    return fd;
  }
  refuse(options, path, EBUSY);
}

}  // namespace

TraceFile::TraceFile(const RecorderOptions& options, std::string_view header) {
  std::error_code failure;
  std::filesystem::create_directories(options.directory, failure);
  if (failure) refuse(options, options.directory, failure.value());
  fd_ = open_unused(options, path_);
  const int why = write_at_end(std::string(header) + "]");
  if (why != 0) refuse(options, path_, why);
  end_ = header.size();
}

/// The lock is given back by name: a child of a fork may hold the same open file for longer.
TraceFile::~TraceFile() { ::flock(fd_.get(), LOCK_UN); }

void TraceFile::append(std::string_view lines) {
  TREERING_CHECK(lines.size() <= longest, "a trace event must fit into a page");
  if (end_ + pending_.size() + lines.size() > last_of_page()) {
    pending_.append(last_of_page() - end_ - pending_.size(), ' ');
    if (flush()) step_over_page();
  }
  pending_ += lines;
  ++pending_appends_;
}

bool TraceFile::flush() {
  if (pending_.empty()) return true;
  pending_ += ']';
  const int why = write_at_end(pending_);
  if (why == 0) {
    end_ += pending_.size() - 1;
  } else {
    failure_ = why;
    lost_ += pending_appends_;
  }
  pending_.clear();
  pending_appends_ = 0;
  return why == 0;
}

/// The "]" is the last byte of its page and goes to the first of the next. If that is not possible it stays, and the
/// next write goes over the boundary.
void TraceFile::step_over_page() {
  const std::size_t boundary = end_ + 1;
  if (::pwrite(fd_.get(), " ", 1, static_cast<off_t>(boundary)) != 1) return;
  if (move_bracket_over(fd_.get(), boundary)) end_ = boundary;
}

/// Of the page that the next write may touch, beside the byte of the old "]".
std::size_t TraceFile::last_of_page() const { return (end_ + 1) / page * page + page - 1; }

/// All or nothing: after a failure the old end is restored. Returns an errno.
int TraceFile::write_at_end(std::string_view text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written =
        ::pwrite(fd_.get(), text.data() + done, text.size() - done, static_cast<off_t>(end_ + done));
    if (written > 0) {
      done += static_cast<std::size_t>(written);
    } else if (written == 0 || errno != EINTR) {
      const int why = written == 0 ? ENOSPC : errno;
      if (done > 0 && ::pwrite(fd_.get(), "]", 1, static_cast<off_t>(end_)) == 1)
        static_cast<void>(::ftruncate(fd_.get(), static_cast<off_t>(end_ + 1)) == 0);
      return why;
    }
  }
  return 0;
}

}  // namespace treering::timeline
