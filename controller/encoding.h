#pragma once

#include <optional>
#include <span>

#include "base/bytes.h"
#include "controller/messages.h"

namespace treering::controller {

// Byte layout: docs/protocol.md. Decoders accept only what the encoders can have written for a job of `size` ranks.

inline constexpr std::uint8_t protocol_version = 1;

Bytes encode(const UpMessage& message);
std::optional<UpMessage> decode_up(std::span<const std::byte> bytes, int size);

/// A message down the tree: version, position of the first entry, entries.
void begin_down(ByteWriter& writer, std::uint64_t first_position);
void put_entry(ByteWriter& writer, const StreamEntry& entry);

/// Reads the entries of one message one by one.
class DownReader {
 public:
  DownReader(std::span<const std::byte> bytes, int size);

  bool ok() const { return reader_.ok(); }
  std::uint64_t first_position() const { return first_position_; }
  /// None at the end and after a failure; ask ok().
  std::optional<StreamEntry> next();

 private:
  ByteReader reader_;
  int size_;
  std::uint64_t first_position_ = 0;
};

}  // namespace treering::controller
