#pragma once

#include <span>

#include "base/bytes.h"
#include "transport/frame_ring.h"

namespace treering::transport {

/// Ordered frames of at most max_frame_bytes to and from one peer, with a bounded number under way. Engine thread only.
class FrameChannel {
 public:
  virtual ~FrameChannel() = default;

  /// Takes a copy of the frame.
  virtual RingResult push(std::span<const std::byte> frame) = 0;
  virtual RingResult pop(Bytes& frame) = 0;
  /// After every burst, also one that moved nothing: wakes the peer if there are frames, or room for its frames.
  virtual void notify(bool pushed, bool popped) = 0;
};

}  // namespace treering::transport
