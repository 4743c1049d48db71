#include <doctest/doctest.h>
#include <fcntl.h>

#include "base/unique_fd.h"

using treering::UniqueFd;

namespace {

int open_null() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

}  // namespace

TEST_CASE("unique_fd: closes what it owns, once") {
  int raw = -1;
  {
    UniqueFd fd(open_null());
    raw = fd.get();
    REQUIRE(is_open(raw));
    UniqueFd moved = std::move(fd);
    CHECK_FALSE(fd.valid());
    CHECK(moved.get() == raw);
    CHECK(is_open(raw));
  }
  CHECK_FALSE(is_open(raw));
}

TEST_CASE("unique_fd: assignment closes the old one, release gives up") {
  UniqueFd left(open_null());
  UniqueFd right(open_null());
  const int old = left.get();
  const int kept = right.get();
  left = std::move(right);
  CHECK_FALSE(is_open(old));
  CHECK(left.release() == kept);
  CHECK(is_open(kept));
  UniqueFd(kept).reset();
  CHECK_FALSE(is_open(kept));
}
