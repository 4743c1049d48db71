#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "treering/status.h"

namespace treering::transport {

inline constexpr std::size_t max_cause_bytes = 1000;

/// Where others leave the cause of a failure for one rank; lies in zeroed memory that the node maps. Needs no help from
/// the writer afterwards: it may exit at once.
struct FailureBox {
  std::atomic<std::uint32_t> state{0};  ///< 0 empty, 1 being written, 2 full
  std::uint32_t code = 0;
  std::uint32_t length = 0;
  char text[max_cause_bytes] = {};
};

/// Leaves a cause unless one is there already.
void put_cause(FailureBox& box, const Status& cause);
/// The cause left there, if any; whatever the memory holds.
std::optional<Status> cause_in(const FailureBox& box);

/// A cause as a message: code, text. The text is cut at max_cause_bytes.
Bytes encode_cause(const Status& cause);
/// Never ok: nonsense becomes a cause that says so.
Status decode_cause(std::span<const std::byte> bytes);

}  // namespace treering::transport
