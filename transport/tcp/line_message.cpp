#include "transport/tcp/line_message.h"

namespace treering::transport::tcp {

namespace {

constexpr std::size_t header_bytes = 3;
constexpr std::size_t max_rest = max_cause_bytes + 16;

Bytes message_of(LineKind kind, const Bytes& rest) {
  ByteWriter writer;
  writer.put_varint(static_cast<std::uint8_t>(kind));  // one byte: kinds are small
  writer.put(static_cast<std::uint16_t>(rest.size()));
  writer.put_bytes(rest);
  return writer.take();
}

}  // namespace

Bytes knock_message(std::uint64_t count) {
  ByteWriter writer;
  writer.put(count);
  return message_of(LineKind::knock, writer.take());
}

Bytes cause_message(const Status& cause) { return message_of(LineKind::cause, encode_cause(cause)); }

Bytes goodbye_message() { return message_of(LineKind::goodbye, {}); }

std::optional<LineMessage> LineParser::next() {
  if (broken_) return std::nullopt;
  ByteReader reader(pending_);
  reader.get<std::uint8_t>();
  const std::size_t length = reader.get<std::uint16_t>();
  if (!reader.ok()) return std::nullopt;
  if (length > max_rest) {
    broken_ = true;
    return std::nullopt;
  }
  const std::size_t whole = header_bytes + length;
  if (pending_.size() < whole) return std::nullopt;
  std::optional<LineMessage> message = parse(std::span(pending_).first(whole));
  broken_ = !message;
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(whole));
  return message;
}

std::optional<LineMessage> LineParser::parse(std::span<const std::byte> message) {
  ByteReader reader(message.subspan(header_bytes));
  LineMessage result;
  result.kind = static_cast<LineKind>(message[0]);
  switch (result.kind) {
    case LineKind::knock: result.count = reader.get<std::uint64_t>(); break;
    case LineKind::cause: result.cause = decode_cause(message.subspan(header_bytes)); return result;
    case LineKind::goodbye: break;
    default: return std::nullopt;
  }
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return result;
}

}  // namespace treering::transport::tcp
