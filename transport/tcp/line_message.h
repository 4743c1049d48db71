#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "transport/failure_box.h"

namespace treering::transport::tcp {

/// What travels on a knock line. Every message is: kind (u8), length of the rest (u16), the rest.
enum class LineKind : std::uint8_t {
  knock = 1,    ///< running count of the control frames that the sender has handed to MPI (u64)
  cause = 2,    ///< why the engine is dead
  goodbye = 3,  ///< the sender's end from now on is no death
};

Bytes knock_message(std::uint64_t count);
Bytes cause_message(const Status& cause);
Bytes goodbye_message();

struct LineMessage {
  LineKind kind = LineKind::knock;
  std::uint64_t count = 0;
  Status cause;
};

/// Cuts the bytes of a line into messages. After nonsense it is broken for good.
class LineParser {
 public:
  void feed(std::span<const std::byte> bytes) { pending_.insert(pending_.end(), bytes.begin(), bytes.end()); }
  std::optional<LineMessage> next();
  bool broken() const { return broken_; }

 private:
  std::optional<LineMessage> parse(std::span<const std::byte> message);

  Bytes pending_;
  bool broken_ = false;
};

}  // namespace treering::transport::tcp
