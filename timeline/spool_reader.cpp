#include "timeline/spool_reader.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "timeline/spool_checksum.h"

namespace treering::timeline {

namespace {

std::int64_t unzigzag(std::uint64_t value) { return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1)); }

/// Nanoseconds from a file may be anything: sums wrap instead of overflowing.
Nanoseconds plus(Nanoseconds time, std::int64_t step) {
  return static_cast<Nanoseconds>(static_cast<std::uint64_t>(time) + static_cast<std::uint64_t>(step));
}

class BlockDecoder {
 public:
  BlockDecoder(const BlockHeader& header, std::span<const std::byte> payload) : rest_(payload), time_(header.base) {
    block_.header = header;
    block_.records.reserve(std::min<std::size_t>(header.records, payload.size() / 2));
  }

  Block decode() {
    while (!rest_.empty()) {
      const auto kind = static_cast<Kind>(rest_.front());
      rest_ = rest_.subspan(1);
      const std::optional<std::uint64_t> length = take_length();
      if (!length || *length > rest_.size()) {
        ++block_.unknown;
        break;
      }
      take(kind, ByteReader(rest_.first(*length)));
      rest_ = rest_.subspan(*length);
    }
    return std::move(block_);
  }

 private:
  std::optional<std::uint64_t> take_length() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 35 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint64_t>(rest_.front());
      rest_ = rest_.subspan(1);
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
  }

  void take(Kind kind, ByteReader reader) {
    switch (kind) {
      case Kind::about: return take_about(reader);
      case Kind::name: return take_text(reader, block_.names);
      case Kind::thread: return take_text(reader, block_.threads);
      default: return take_record(kind, reader);
    }
  }

  void take_about(ByteReader& reader) {
    std::string key = reader.get_string(longest_block);
    std::string value = reader.get_string(longest_block);
    if (!reader.ok()) return void(++block_.unknown);
    block_.about.emplace_back(std::move(key), std::move(value));
  }

  void take_text(ByteReader& reader, std::vector<std::pair<std::uint32_t, std::string>>& texts) {
    const std::uint64_t id = reader.get_varint();
    std::string text = reader.get_string(longest_block);
    if (!reader.ok() || id > UINT32_MAX) return void(++block_.unknown);
    texts.emplace_back(static_cast<std::uint32_t>(id), std::move(text));
  }

  /// The time counts even if the rest is unknown: those that follow start from it.
  void take_record(Kind kind, ByteReader& reader) {
    const Layout layout = layout_of(kind);
    Record record;
    record.kind = kind;
    const std::int64_t step = unzigzag(reader.get_varint());
    if (!reader.ok()) return void(++block_.unknown);
    time_ = plus(time_, step);
    if (layout.values == 0) return void(++block_.unknown);
    record.time = time_;
    if (layout.named) record.name = static_cast<std::uint32_t>(reader.get_varint());
    for (std::size_t i = 0; i < layout.values && !reader.at_end(); ++i) {
      const std::uint64_t raw = reader.get_varint();
      const bool is_signed = (layout.signed_values >> i & 1) != 0;
      record.values[i] = is_signed ? static_cast<std::uint64_t>(unzigzag(raw)) : raw;
    }
    if (!reader.ok()) return void(++block_.unknown);
    block_.records.push_back(record);
  }

  std::span<const std::byte> rest_;
  Nanoseconds time_;
  Block block_;
};

}  // namespace

std::optional<BlockHeader> SpoolReader::header_at(std::size_t place) const {
  BlockHeader header;
  if (file_.size() - place < sizeof header) return std::nullopt;
  std::memcpy(&header, file_.data() + place, sizeof header);
  const std::size_t most = std::min(longest_block, file_.size() - place - sizeof header);
  if (header.magic != BlockHeader::block_magic || header.header_check != check_of(header)) return std::nullopt;
  if (header.length > most) return std::nullopt;
  const auto payload = file_.subspan(place + sizeof header, header.length);
  return spool_checksum(payload) == header.checksum ? std::optional(header) : std::nullopt;
}

std::size_t SpoolReader::next_magic(std::size_t from) const {
  constexpr auto first = static_cast<std::byte>(BlockHeader::block_magic & 0xff);
  const auto found = std::find(file_.begin() + static_cast<std::ptrdiff_t>(from), file_.end(), first);
  return static_cast<std::size_t>(found - file_.begin());
}

std::optional<Block> SpoolReader::next() {
  std::size_t end_of_last = place_;
  while (place_ < file_.size()) {
    const std::optional<BlockHeader> header = header_at(place_);
    if (!header) {
      place_ = next_magic(place_ + 1);
      continue;
    }
    skipped_ += place_ - end_of_last;
    const std::size_t begin = place_ + sizeof(BlockHeader);
    place_ = begin + header->length;
    if (header->version == BlockHeader::format_version)
      return BlockDecoder(*header, file_.subspan(begin, header->length)).decode();
    later_version_ = true;
    skipped_ += place_ - begin + sizeof(BlockHeader);
    end_of_last = place_;
  }
  torn_at_end_ = file_.size() - end_of_last;
  skipped_ += torn_at_end_;
  return std::nullopt;
}

}  // namespace treering::timeline
