#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "transport/frame_channel.h"
#include "transport/framing.h"
#include "transport/mpi/communicators.h"
#include "transport/mpi/requests.h"
#include "transport/tcp/line.h"

namespace treering::transport::mpi {

/// Control frames to and from one rank of another node. Receives are posted for every frame that the peer may send:
/// a frame costs a credit, credits come back with frames of the other direction or, if there are none, in a frame of
/// their own. The last frame says that no other follows. Frames arrive in order, so only the oldest receive is among
/// the requests that are tested.
class MpiFrameChannel final : public FrameChannel, private RequestOwner {
 public:
  /// `line` may be null: then nobody is woken. Throws Error.
  MpiFrameChannel(const Communicators& communicators, Requests& requests, int peer, tcp::Line* line);
  ~MpiFrameChannel() override;

  RingResult push(std::span<const std::byte> frame) override;
  RingResult pop(Bytes& frame) override;
  void notify(bool pushed, bool popped) override;

  /// The peer has knocked for frames that MPI has not delivered yet.
  bool frames_awaited() const { return line_ != nullptr && line_->knocks() > received_; }

  /// Nothing is pushed after this.
  void send_last();
  bool last_received() const { return last_received_; }
  /// After the last frame: hands all receives that are still posted over to be cancelled.
  void give_up_receives();

  /// MPI may still write into the slots: they are leaked, and no call into MPI is made any more.
  void abandon() { abandoned_ = true; }

  const Status& status() const { return status_; }

 private:
  struct Slots;

  void completed(std::uint64_t cookie, const MPI_Status& status) override;
  void post_receive(std::size_t slot);
  void watch_oldest();
  void test_oldest();
  bool send_frame(std::span<const std::byte> frame, std::uint32_t kind);
  bool take_header(std::size_t slot, std::uint32_t& length);

  const Communicators& communicators_;
  Requests& requests_;
  int peer_;
  tcp::Line* line_;
  std::unique_ptr<Slots> slots_;
  std::vector<std::size_t> free_sends_;
  std::size_t next_receive_ = 0;
  std::uint32_t credits_;
  std::uint32_t owed_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t knocked_ = 0;
  std::uint64_t received_ = 0;
  bool last_sent_ = false;
  bool last_received_ = false;
  bool abandoned_ = false;
  Status status_;
};

}  // namespace treering::transport::mpi
