#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.h"

namespace treering::transport {

/// No message may be longer, so that nonsense from a peer cannot take all memory.
inline constexpr std::size_t max_message_bytes = std::size_t{64} << 20;
inline constexpr std::size_t max_frame_bytes = 4096;

/// Every frame starts with this, little-endian: version (u16), bytes of payload (u16), number of the message (u32),
/// bytes of the whole message (u32), offset of this payload in it (u32). An empty message is one frame without payload.
inline constexpr std::size_t frame_header_bytes = 16;
inline constexpr std::uint16_t frame_version = 1;

/// Cuts messages into frames. Holds one message at a time.
class Fragmenter {
 public:
  bool busy() const { return busy_; }
  void start(Bytes message);
  /// The next frame; asking again without `advance` gives the same one.
  const Bytes& frame();
  void advance();

 private:
  Bytes message_;
  Bytes frame_;
  std::size_t offset_ = 0;
  std::uint32_t number_ = 0;
  bool busy_ = false;
};

/// Puts frames together again. Frames may hold anything: whatever does not continue the message exactly is refused.
class Reassembler {
 public:
  struct Result {
    const char* problem = nullptr;  ///< what is wrong with the frame, if anything
    std::optional<Bytes> message;   ///< complete with this frame
  };

  explicit Reassembler(std::size_t limit = max_message_bytes) : limit_(limit) {}
  Result feed(std::span<const std::byte> frame);

 private:
  std::size_t limit_;
  Bytes partial_;
  std::uint32_t total_ = 0;
  std::uint32_t number_ = 0;
};

}  // namespace treering::transport
