#pragma once

#include <cstddef>
#include <utility>

namespace treering::transport {

/// Owns one mmap of zeroed memory whose pages appear when touched.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();

  /// Memory of this process alone; empty if the system refuses.
  static Mapping anonymous(std::size_t bytes);
  /// The first `bytes` of a file, shared with everybody who maps it; empty if the system refuses.
  static Mapping shared(int fd, std::size_t bytes);

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// Forgets the memory without unmapping it: somebody may still write there.
  void leak() {
    data_ = nullptr;
    bytes_ = 0;
  }

 private:
  Mapping(void* address, std::size_t bytes);

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace treering::transport
