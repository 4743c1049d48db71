#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace treering {

using Bytes = std::vector<std::byte>;

/// Appends values to a message: fixed-width little-endian integers, varints, doubles by bit pattern, strings with a
/// length.
class ByteWriter {
 public:
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void put(T value) {
    std::byte raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes_.insert(bytes_.end(), raw, raw + sizeof(T));
  }
  void put_varint(std::uint64_t value);
  void put_string(std::string_view text);
  void put_bytes(std::span<const std::byte> raw) { bytes_.insert(bytes_.end(), raw.begin(), raw.end()); }

  std::size_t size() const { return bytes_.size(); }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

/// Reads what ByteWriter wrote; never past the end. After the first impossible read `ok()` is false for good and every
/// read returns zero, so a parser may read on and check once at the end.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  T get() {
    T value{};
    if (rest_.size() < sizeof(T)) {
      fail();
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }
  std::uint64_t get_varint();
  /// At most `limit` characters, else the reader fails.
  std::string get_string(std::size_t limit);
  /// A count of things that take at least `least_bytes` each: fails if the rest of the message cannot hold as many.
  std::size_t get_count(std::size_t least_bytes = 1);

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  void fail() {
    ok_ = false;
    rest_ = {};
  }

 private:
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace treering
