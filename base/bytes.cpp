#include "base/bytes.h"

namespace treering {

void ByteWriter::put_varint(std::uint64_t value) {
  while (value >= 0x80) {
    put(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  put(static_cast<std::uint8_t>(value));
}

void ByteWriter::put_string(std::string_view text) {
  put_varint(text.size());
  put_bytes(std::as_bytes(std::span(text.data(), text.size())));
}

std::uint64_t ByteReader::get_varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = get<std::uint8_t>();
    if (!ok_) return 0;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      if (shift == 63 && byte > 1) break;
      return value;
    }
  }
  fail();
  return 0;
}

std::string ByteReader::get_string(std::size_t limit) {
  const std::uint64_t size = get_varint();
  if (!ok_ || size > limit || size > rest_.size()) {
    fail();
    return {};
  }
  std::string text(reinterpret_cast<const char*>(rest_.data()), size);
  rest_ = rest_.subspan(size);
  return text;
}

std::size_t ByteReader::get_count(std::size_t least_bytes) {
  const std::uint64_t count = get_varint();
  if (!ok_ || count > rest_.size() / least_bytes) {
    fail();
    return 0;
  }
  return count;
}

}  // namespace treering
