// libFuzzer target: clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -I. -Iinclude tests/fuzz/framing_fuzz.cpp
// transport/framing.cpp base/bytes.cpp base/check.cpp. The input is a row of frames, each behind its length (u16).
#include <cstdint>
#include <cstdlib>

#include "transport/framing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace treering;
  constexpr std::size_t limit = 1 << 16;
  transport::Reassembler reassembler(limit);
  std::span<const std::byte> rest(reinterpret_cast<const std::byte*>(data), size);
  while (rest.size() >= 2) {
    const std::size_t length = std::to_integer<std::size_t>(rest[0]) | std::to_integer<std::size_t>(rest[1]) << 8;
    rest = rest.subspan(2);
    const std::size_t taken = std::min(length, rest.size());
    const transport::Reassembler::Result result = reassembler.feed(rest.first(taken));
    rest = rest.subspan(taken);
    if (result.message && result.message->size() > limit) std::abort();
    if (result.problem != nullptr) break;
  }
  return 0;
}
