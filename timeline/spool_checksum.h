#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "timeline/spool_format.h"

namespace treering::timeline {

/// Eight bytes at a time. Finds what a torn write leaves; no defence against anybody who means to deceive.
class SpoolChecksum {
 public:
  void add(std::span<const std::byte> bytes) {
    mix(bytes.size());
    for (; bytes.size() >= sizeof(std::uint64_t); bytes = bytes.subspan(sizeof(std::uint64_t))) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), sizeof word);
      mix(word);
    }
    std::uint64_t rest = 0;
    if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
    mix(rest);
  }
  std::uint64_t value() const { return state_; }

 private:
  void mix(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15;
    state_ ^= state_ >> 29;
  }
  std::uint64_t state_ = 0x243f6a8885a308d3;
};

inline std::uint64_t spool_checksum(std::span<const std::byte> bytes) {
  SpoolChecksum checksum;
  checksum.add(bytes);
  return checksum.value();
}

/// What BlockHeader::header_check must be.
inline std::uint32_t check_of(BlockHeader header) {
  header.header_check = 0;
  header.checksum = 0;
  return static_cast<std::uint32_t>(spool_checksum(std::as_bytes(std::span(&header, 1))) >> 32);
}

}  // namespace treering::timeline
