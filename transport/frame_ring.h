#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace treering::transport {

/// The shared start of a ring of bytes; zeroed memory is an empty ring. The bytes follow.
struct FrameRingHeader {
  alignas(64) std::atomic<std::uint64_t> written{0};  ///< bytes ever written; the writer's
  std::atomic<std::uint32_t> writer_waits{0};         ///< set by the writer, cleared by the reader
  alignas(64) std::atomic<std::uint64_t> read{0};     ///< bytes ever read; the reader's
};

inline constexpr std::size_t frame_ring_capacity = 32 * 1024;
inline constexpr std::size_t frame_ring_bytes = sizeof(FrameRingHeader) + frame_ring_capacity;

enum class RingResult : std::uint8_t {
  done,
  not_now,  ///< full, or empty
  broken,   ///< the other side left impossible numbers in the ring; it stays broken
};

/// The writing end of a single-producer, single-consumer ring of frames. Each side trusts only its own copy of its own
/// index and checks what it reads of the other's.
class FrameRingWriter {
 public:
  explicit FrameRingWriter(std::byte* memory);

  /// A frame of at most half the capacity. When the ring is full, the reader will be told that somebody waits.
  RingResult push(std::span<const std::byte> frame);

 private:
  RingResult try_push(std::span<const std::byte> frame);

  FrameRingHeader* header_;
  std::byte* bytes_;
  std::uint64_t written_ = 0;
};

class FrameRingReader {
 public:
  explicit FrameRingReader(std::byte* memory);

  /// The next frame, of at most `limit` bytes.
  RingResult pop(Bytes& frame, std::size_t limit);
  /// True once after room was made for a writer that waits for it: ring its bell.
  bool take_writer_waits();

 private:
  FrameRingHeader* header_;
  const std::byte* bytes_;
  std::uint64_t read_ = 0;
};

}  // namespace treering::transport
