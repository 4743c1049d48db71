#pragma once

#include <deque>
#include <memory>

#include "transport/frame_channel.h"
#include "transport/framing.h"
#include "transport/message_edge.h"
#include "treering/status.h"

namespace treering::transport {

/// Messages of any size over a channel of frames.
class FramedEdge final : public MessageEdge {
 public:
  FramedEdge(int peer, std::unique_ptr<FrameChannel> channel) : peer_(peer), channel_(std::move(channel)) {}

  int peer() const override { return peer_; }
  bool writable() const override { return !fragmenter_.busy(); }
  void send(Bytes message) override;
  std::optional<Bytes> receive() override;
  bool progress() override;

  /// Not ok once the peer has sent something that makes no sense; nothing moves any more then.
  const Status& status() const { return status_; }

 private:
  bool push_frames();
  bool pop_frames();
  void refuse(const char* problem);

  int peer_;
  std::unique_ptr<FrameChannel> channel_;
  Fragmenter fragmenter_;
  Reassembler reassembler_;
  std::deque<Bytes> inbox_;
  Bytes scratch_;
  Status status_;
};

}  // namespace treering::transport
