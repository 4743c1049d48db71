#include "timeline/block_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "timeline/spool_checksum.h"

namespace treering::timeline {

static_assert(std::endian::native == std::endian::little, "headers are written as they lie in memory");

namespace {

/// Any two times: the reader adds in the same way.
std::int64_t wrapped_difference(std::int64_t later, std::int64_t sooner) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(sooner));
}

std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}

std::uint8_t* put(std::uint8_t* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::uint8_t>(value | 0x80);
  *to++ = static_cast<std::uint8_t>(value);
  return to;
}

std::size_t varint_size(std::uint64_t value) { return value == 0 ? 1 : (std::bit_width(value) + 6) / 7; }

constexpr std::size_t longest_varint = 10;

}  // namespace

void BlockWriter::begin(std::uint32_t recording, Nanoseconds base, std::uint16_t flags) {
  header_ = {};
  header_.flags = flags;
  header_.recording = recording;
  header_.base = base;
  last_ = base;
  ++block_;
  bytes_.resize(sizeof(BlockHeader));
}

void BlockWriter::about(std::string_view key, std::string_view value) {
  bytes_.push_back(static_cast<std::byte>(Kind::about));
  put_varint(varint_size(key.size()) + key.size() + varint_size(value.size()) + value.size());
  put_text(key);
  put_text(value);
  ++header_.records;
}

void BlockWriter::thread(std::uint32_t id, std::string_view words) { text(Kind::thread, id, words); }

void BlockWriter::name(std::uint32_t id, std::string_view words) {
  text(Kind::name, id, words);
  if (id >= known_.size()) known_.resize(std::max<std::size_t>(id + 1, 2 * known_.size()));
  known_[id] = block_;
}

void BlockWriter::text(Kind kind, std::uint32_t id, std::string_view words) {
  bytes_.push_back(static_cast<std::byte>(kind));
  put_varint(varint_size(id) + varint_size(words.size()) + words.size());
  put_varint(id);
  put_text(words);
  ++header_.records;
}

void BlockWriter::add(const Record& record) {
  const Layout layout = layout_of(record.kind);
  std::uint8_t raw[2 + (most_values + 2) * longest_varint];
  raw[0] = static_cast<std::uint8_t>(record.kind);
  std::uint8_t* end = put(raw + 2, zigzag(wrapped_difference(record.time, last_)));
  last_ = record.time;
  if (layout.named) end = put(end, record.name);
  std::size_t count = layout.values;
  while (count > 0 && record.values[count - 1] == 0) --count;
  for (std::size_t i = 0; i < count; ++i) {
    const bool negative_allowed = (layout.signed_values >> i & 1) != 0;
    end = put(end, negative_allowed ? zigzag(record.signed_value(i)) : record.values[i]);
  }
  raw[1] = static_cast<std::uint8_t>(end - raw - 2);  // eight varints at most: one byte says their length
  const auto* begin = reinterpret_cast<const std::byte*>(raw);
  bytes_.insert(bytes_.end(), begin, begin + (end - raw));
  ++header_.records;
}

std::span<const std::byte> BlockWriter::finish() {
  header_.length = static_cast<std::uint32_t>(bytes_.size() - sizeof(BlockHeader));
  header_.checksum = spool_checksum(std::span<const std::byte>(bytes_).subspan(sizeof(BlockHeader)));
  header_.header_check = check_of(header_);
  std::memcpy(bytes_.data(), &header_, sizeof header_);
  return bytes_;
}

void BlockWriter::put_varint(std::uint64_t value) {
  std::uint8_t raw[longest_varint];
  const auto* begin = reinterpret_cast<const std::byte*>(raw);
  bytes_.insert(bytes_.end(), begin, begin + (put(raw, value) - raw));
}

void BlockWriter::put_text(std::string_view words) {
  put_varint(words.size());
  const auto raw = std::as_bytes(std::span(words.data(), words.size()));
  bytes_.insert(bytes_.end(), raw.begin(), raw.end());
}

}  // namespace treering::timeline
