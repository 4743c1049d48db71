#include "transport/frame_ring.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace treering::transport {

namespace {

using Length = std::uint32_t;

void copy_in(std::byte* ring, std::uint64_t position, const void* data, std::size_t bytes) {
  const std::size_t start = position % frame_ring_capacity;
  const std::size_t first = std::min(bytes, frame_ring_capacity - start);
  std::memcpy(ring + start, data, first);
  if (first < bytes) std::memcpy(ring, static_cast<const std::byte*>(data) + first, bytes - first);
}

void copy_out(const std::byte* ring, std::uint64_t position, void* data, std::size_t bytes) {
  const std::size_t start = position % frame_ring_capacity;
  const std::size_t first = std::min(bytes, frame_ring_capacity - start);
  std::memcpy(data, ring + start, first);
  if (first < bytes) std::memcpy(static_cast<std::byte*>(data) + first, ring, bytes - first);
}

}  // namespace

FrameRingWriter::FrameRingWriter(std::byte* memory)
    : header_(reinterpret_cast<FrameRingHeader*>(memory)), bytes_(memory + sizeof(FrameRingHeader)) {}

RingResult FrameRingWriter::push(std::span<const std::byte> frame) {
  TREERING_CHECK(!frame.empty() && frame.size() <= frame_ring_capacity / 2, "a frame must fit into its ring");
  const RingResult result = try_push(frame);
  if (result != RingResult::not_now) return result;
  header_->writer_waits.store(1, std::memory_order_seq_cst);
  return try_push(frame);  // the reader may have made room just before it could see the flag
}

RingResult FrameRingWriter::try_push(std::span<const std::byte> frame) {
  const std::uint64_t used = written_ - header_->read.load(std::memory_order_seq_cst);
  if (used > frame_ring_capacity) return RingResult::broken;
  if (frame_ring_capacity - used < sizeof(Length) + frame.size()) return RingResult::not_now;
  const auto length = static_cast<Length>(frame.size());
  copy_in(bytes_, written_, &length, sizeof length);
  copy_in(bytes_, written_ + sizeof length, frame.data(), frame.size());
  written_ += sizeof length + frame.size();
  header_->written.store(written_, std::memory_order_release);
  return RingResult::done;
}

FrameRingReader::FrameRingReader(std::byte* memory)
    : header_(reinterpret_cast<FrameRingHeader*>(memory)), bytes_(memory + sizeof(FrameRingHeader)) {}

RingResult FrameRingReader::pop(Bytes& frame, std::size_t limit) {
  const std::uint64_t available = header_->written.load(std::memory_order_acquire) - read_;
  if (available == 0) return RingResult::not_now;
  if (available > frame_ring_capacity || available < sizeof(Length)) return RingResult::broken;
  Length length = 0;
  copy_out(bytes_, read_, &length, sizeof length);
  if (length == 0 || length > limit || length > available - sizeof length) return RingResult::broken;
  frame.resize(length);
  copy_out(bytes_, read_ + sizeof length, frame.data(), length);
  read_ += sizeof length + length;
  header_->read.store(read_, std::memory_order_seq_cst);
  return RingResult::done;
}

bool FrameRingReader::take_writer_waits() {
  if (header_->writer_waits.load(std::memory_order_seq_cst) == 0) return false;
  header_->writer_waits.store(0, std::memory_order_seq_cst);
  return true;
}

}  // namespace treering::transport
