#include "transport/secret.h"

#include <sys/random.h>

#include "base/check.h"

namespace treering::transport {

Secret make_secret() {
  Secret secret{};
  const auto got = ::getrandom(secret.data(), secret.size(), 0);
  TREERING_CHECK(got == static_cast<ssize_t>(secret.size()), "the kernel gives no random numbers");
  return secret;
}

}  // namespace treering::transport
