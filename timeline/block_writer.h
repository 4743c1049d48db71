#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "timeline/spool_format.h"

namespace treering::timeline {

/// Puts records into one block after another. Memory is kept from block to block.
class BlockWriter {
 public:
  /// Empties the block. `base`: some time near that of the records to come.
  void begin(std::uint32_t recording, Nanoseconds base, std::uint16_t flags = 0);

  void about(std::string_view key, std::string_view value);
  void thread(std::uint32_t id, std::string_view text);
  /// Once per block for each name that its records use, anywhere in the block.
  void name(std::uint32_t id, std::string_view text);
  /// Whether `name` was called for it since `begin`.
  bool knows(std::uint32_t id) const { return id < known_.size() && known_[id] == block_; }
  void add(const Record& record);

  std::size_t size() const { return bytes_.size(); }
  std::uint32_t records() const { return header_.records; }
  /// The block as it goes to disk; valid until the next `begin`.
  std::span<const std::byte> finish();

 private:
  void text(Kind kind, std::uint32_t id, std::string_view text);
  void put_varint(std::uint64_t value);
  void put_text(std::string_view text);

  BlockHeader header_;
  std::vector<std::byte> bytes_;
  Nanoseconds last_ = 0;
  std::uint32_t block_ = 0;           ///< counts `begin`
  std::vector<std::uint32_t> known_;  ///< per name: the block that holds it
};

}  // namespace treering::timeline
