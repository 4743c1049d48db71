#include "transport/framing.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace treering::transport {

void Fragmenter::start(Bytes message) {
  TREERING_CHECK(!busy_, "one message at a time");
  TREERING_CHECK(message.size() <= max_message_bytes, "a control message is too long");
  message_ = std::move(message);
  offset_ = 0;
  busy_ = true;
  frame_.clear();
}

const Bytes& Fragmenter::frame() {
  if (!frame_.empty()) return frame_;
  const std::size_t payload = std::min(message_.size() - offset_, max_frame_bytes - frame_header_bytes);
  ByteWriter writer;
  writer.put(frame_version);
  writer.put(static_cast<std::uint16_t>(payload));
  writer.put(number_);
  writer.put(static_cast<std::uint32_t>(message_.size()));
  writer.put(static_cast<std::uint32_t>(offset_));
  writer.put_bytes(std::span(message_).subspan(offset_, payload));
  frame_ = writer.take();
  return frame_;
}

void Fragmenter::advance() {
  offset_ += frame_.size() - frame_header_bytes;
  frame_.clear();
  if (offset_ < message_.size()) return;
  busy_ = false;
  ++number_;
  message_ = {};
}

Reassembler::Result Reassembler::feed(std::span<const std::byte> frame) {
  ByteReader reader(frame);
  const auto version = reader.get<std::uint16_t>();
  const auto payload = reader.get<std::uint16_t>();
  const auto number = reader.get<std::uint32_t>();
  const auto total = reader.get<std::uint32_t>();
  const auto offset = reader.get<std::uint32_t>();
  if (!reader.ok()) return {"it is shorter than a header", {}};
  if (version != frame_version) return {"it has an unknown version", {}};
  if (payload != frame.size() - frame_header_bytes) return {"its length is not what its header says", {}};
  if (number != number_) return {"it belongs to another message", {}};
  if (total > limit_) return {"its message is longer than any may be", {}};
  if (offset != partial_.size()) return {"it does not follow the frame before", {}};
  if (offset != 0 && total != total_) return {"its message has changed its length", {}};
  if (payload > total - offset) return {"it goes past the end of its message", {}};
  if (payload == 0 && total != 0) return {"it is empty", {}};
  total_ = total;
  partial_.insert(partial_.end(), frame.begin() + frame_header_bytes, frame.end());
  if (partial_.size() < total_) return {};
  ++number_;
  return {nullptr, std::exchange(partial_, {})};
}

}  // namespace treering::transport
