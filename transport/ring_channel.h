#pragma once

#include "transport/bell.h"
#include "transport/frame_channel.h"
#include "transport/framing.h"

namespace treering::transport {

/// Frames through two rings in memory that both ends see.
class RingChannel final : public FrameChannel {
 public:
  RingChannel(std::byte* out, std::byte* in, Bell peer) : out_(out), in_(in), peer_(peer) {}

  RingResult push(std::span<const std::byte> frame) override { return out_.push(frame); }
  RingResult pop(Bytes& frame) override { return in_.pop(frame, max_frame_bytes); }
  void notify(bool pushed, bool popped) override {
    if (pushed || (popped && in_.take_writer_waits())) peer_.ring();
  }

 private:
  FrameRingWriter out_;
  FrameRingReader in_;
  Bell peer_;
};

}  // namespace treering::transport
