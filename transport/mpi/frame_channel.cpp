#include "transport/mpi/frame_channel.h"

#include <cstring>
#include <string>

#include "transport/mpi/errors.h"

namespace treering::transport::mpi {

namespace {

constexpr std::uint32_t all_credits = 16;
/// With so many credits to return and nothing to say, a frame of its own returns them. The peer can then owe at most
/// two such frames that have not been received, and one last frame.
constexpr std::uint32_t credits_worth_a_frame = all_credits / 2;
constexpr std::size_t slot_count = all_credits + 3;

enum FrameKind : std::uint32_t { data_frame = 1, credit_frame = 2, last_frame = 3 };

struct FrameHeader {
  std::uint32_t kind;
  std::uint32_t credits;
  std::uint32_t length;
  std::uint32_t unused;
};

constexpr std::size_t slot_bytes = sizeof(FrameHeader) + max_frame_bytes;

}  // namespace

struct MpiFrameChannel::Slots {
  std::byte out[slot_count][slot_bytes];
  std::byte in[slot_count][slot_bytes];
  MPI_Request receives[slot_count];  ///< null where the request is among those that are tested, or over
  int arrived[slot_count] = {};      ///< bytes; 0 = not yet
};

// Cookies: receive slots from 0, send slots from slot_count.
MpiFrameChannel::MpiFrameChannel(const Communicators& communicators, Requests& requests, int peer, tcp::Line* line)
    : communicators_(communicators),
      requests_(requests),
      peer_(peer),
      line_(line),
      slots_(std::make_unique<Slots>()),
      credits_(all_credits) {
  for (std::size_t slot = 0; slot < slot_count; ++slot) {
    free_sends_.push_back(slot);
    post_receive(slot);
  }
  if (!status_.ok()) throw Error(status_);
  watch_oldest();
}

MpiFrameChannel::~MpiFrameChannel() {
  if (!abandoned_) return;
  [[maybe_unused]] const Slots* const leaked = slots_.release();
}

void MpiFrameChannel::post_receive(std::size_t slot) {
  const int code = MPI_Irecv(slots_->in[slot], static_cast<int>(slot_bytes), MPI_BYTE, peer_, 0,
                             communicators_.control(), &slots_->receives[slot]);
  if (code != MPI_SUCCESS) status_ = status_of(code, "MPI_Irecv");
}

void MpiFrameChannel::watch_oldest() {
  MPI_Request& oldest = slots_->receives[next_receive_];
  if (oldest == MPI_REQUEST_NULL) return;
  requests_.add(oldest, *this, next_receive_, Requests::Kind::standing, 0);
  oldest = MPI_REQUEST_NULL;
}

/// Frames often come in bursts: the next one may be there already.
void MpiFrameChannel::test_oldest() {
  MPI_Request& oldest = slots_->receives[next_receive_];
  if (oldest == MPI_REQUEST_NULL) return;
  int there = 0;
  MPI_Status status;
  const int code = MPI_Test(&oldest, &there, &status);
  if (code != MPI_SUCCESS) status_ = status_of(code, "MPI_Test");
  if (code == MPI_SUCCESS && there != 0) completed(next_receive_, status);
}

void MpiFrameChannel::give_up_receives() {
  for (std::size_t slot = 0; slot < slot_count; ++slot) {
    MPI_Request& receive = slots_->receives[slot];
    if (receive != MPI_REQUEST_NULL) requests_.add(receive, *this, slot, Requests::Kind::standing, 0);
    receive = MPI_REQUEST_NULL;
  }
}

void MpiFrameChannel::completed(std::uint64_t cookie, const MPI_Status& status) {
  const auto slot = static_cast<std::size_t>(cookie);
  if (slot >= slot_count) {
    free_sends_.push_back(slot - slot_count);
    return;
  }
  MPI_Get_count(&status, MPI_BYTE, &slots_->arrived[slot]);
  if (slots_->arrived[slot] < static_cast<int>(sizeof(FrameHeader)))
    status_ = Status(StatusCode::internal,
                     "rank " + std::to_string(peer_) + " sent a control frame that is too short for its header");
}

RingResult MpiFrameChannel::push(std::span<const std::byte> frame) {
  if (abandoned_ || last_sent_ || credits_ == 0) return RingResult::not_now;
  if (!status_.ok()) return RingResult::broken;
  if (!send_frame(frame, data_frame)) return RingResult::not_now;
  --credits_;
  return RingResult::done;
}

bool MpiFrameChannel::send_frame(std::span<const std::byte> frame, std::uint32_t kind) {
  if (free_sends_.empty()) return false;
  const std::size_t slot = free_sends_.back();
  std::byte* const out = slots_->out[slot];
  const FrameHeader header{kind, owed_, static_cast<std::uint32_t>(frame.size()), 0};
  std::memcpy(out, &header, sizeof header);
  if (!frame.empty()) std::memcpy(out + sizeof header, frame.data(), frame.size());
  const std::size_t bytes = sizeof header + frame.size();
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Isend(out, static_cast<int>(bytes), MPI_BYTE, peer_, 0, communicators_.control(), &request);
  if (code != MPI_SUCCESS) {
    status_ = status_of(code, "MPI_Isend");
    return false;
  }
  free_sends_.pop_back();
  owed_ = 0;
  ++sent_;
  requests_.add(request, *this, slot_count + slot, Requests::Kind::moving, bytes);
  return true;
}

RingResult MpiFrameChannel::pop(Bytes& frame) {
  while (status_.ok() && !abandoned_ && slots_->arrived[next_receive_] > 0) {
    const std::size_t slot = next_receive_;
    next_receive_ = (next_receive_ + 1) % slot_count;
    ++received_;
    std::uint32_t length = 0;
    if (!take_header(slot, length)) return RingResult::broken;
    const std::byte* const payload = slots_->in[slot] + sizeof(FrameHeader);
    const bool has_data = length > 0;
    if (has_data) {
      frame.assign(payload, payload + length);
      ++owed_;
    }
    if (!last_received_) {
      post_receive(slot);
      test_oldest();
      if (slots_->arrived[next_receive_] == 0) watch_oldest();
    }
    if (has_data) return RingResult::done;
  }
  return status_.ok() ? RingResult::not_now : RingResult::broken;
}

/// Takes the credits and the end; false if the header is impossible.
bool MpiFrameChannel::take_header(std::size_t slot, std::uint32_t& length) {
  FrameHeader header{};
  std::memcpy(&header, slots_->in[slot], sizeof header);
  const auto arrived = static_cast<std::size_t>(slots_->arrived[slot]) - sizeof header;
  slots_->arrived[slot] = 0;
  const bool kind_fits = (header.kind == data_frame && header.length > 0) ||
                         ((header.kind == credit_frame || header.kind == last_frame) && header.length == 0);
  if (!kind_fits || header.length != arrived || header.credits > all_credits - credits_) return false;
  credits_ += header.credits;
  length = header.length;
  last_received_ = header.kind == last_frame;
  return true;
}

void MpiFrameChannel::notify(bool /*pushed*/, bool /*popped*/) {
  if (abandoned_ || !status_.ok()) return;
  if (owed_ >= credits_worth_a_frame && !last_sent_) send_frame({}, credit_frame);
  if (line_ == nullptr || knocked_ == sent_) return;
  line_->knock(sent_);
  knocked_ = sent_;
}

void MpiFrameChannel::send_last() {
  if (abandoned_ || !status_.ok()) return;
  last_sent_ = send_frame({}, last_frame);
  notify(false, false);
}

}  // namespace treering::transport::mpi
