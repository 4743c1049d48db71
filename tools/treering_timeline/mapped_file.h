#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace treering::tools {

/// A file's bytes as they were when it was opened; it may grow behind them.
class MappedFile {
 public:
  /// Throws std::runtime_error with the reason.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace treering::tools
