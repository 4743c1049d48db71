#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "timeline/spool_format.h"

namespace treering::timeline {

/// One block, decoded. Names and threads are those that this block defines; an id means the same in a whole recording.
struct Block {
  BlockHeader header;
  std::vector<std::pair<std::string, std::string>> about;
  std::vector<std::pair<std::uint32_t, std::string>> names;
  std::vector<std::pair<std::uint32_t, std::string>> threads;
  std::vector<Record> records;
  std::uint32_t unknown = 0;  ///< records of kinds that this reader does not know, or that it cannot read

  bool begins_recording() const { return (header.flags & timeline::begins_recording) != 0; }
};

/// Reads a spool that may be torn, damaged or of a later version. Trusts nothing; memory is bounded by the block.
class SpoolReader {
 public:
  /// `file` must outlive the reader.
  explicit SpoolReader(std::span<const std::byte> file) : file_(file) {}

  /// The next whole block, or none at the end. What lies between is skipped and counted.
  std::optional<Block> next();

  /// Bytes that belong to no whole block, so far. Those behind the last whole block are the one that a death tore.
  std::size_t skipped() const { return skipped_; }
  std::size_t torn_at_end() const { return torn_at_end_; }
  /// True if blocks of another version were skipped.
  bool later_version() const { return later_version_; }

 private:
  std::optional<BlockHeader> header_at(std::size_t place) const;
  std::size_t next_magic(std::size_t from) const;

  std::span<const std::byte> file_;
  std::size_t place_ = 0;
  std::size_t skipped_ = 0;
  std::size_t torn_at_end_ = 0;
  bool later_version_ = false;
};

}  // namespace treering::timeline
