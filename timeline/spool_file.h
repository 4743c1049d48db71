#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/unique_fd.h"

namespace treering::timeline {

/// One rank's file of blocks, DIR/rank-N.trace, or DIR/rank-N-2.trace and so on while another engine writes the former.
/// A block is written as a whole or not at all, as far as the process lives. One thread at a time.
class SpoolFile {
 public:
  /// Makes the directory and an empty file, and removes what an earlier job left of the same name. Throws Error
  /// (unavailable) with advice.
  SpoolFile(const std::string& directory, int rank, const std::string& host);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  /// False if it could not be written; the file is then as before.
  bool append(std::span<const std::byte> block);
  /// What was written so far becomes DIR/rank-N.old.trace, replacing an older one, and the file is empty. False, and
  /// nothing done, if that is not possible.
  bool retire();

  std::uint64_t size() const { return size_; }
  /// errno of the latest call that failed; 0 if none has.
  int failure() const { return failure_; }
  const std::string& path() const { return path_; }
  /// The same name with another ending, say ".json".
  std::string path_with(const std::string& ending) const;

 private:
  std::string path_;
  UniqueFd fd_;
  std::uint64_t size_ = 0;
  int failure_ = 0;
};

}  // namespace treering::timeline
