#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace treering::tools {

/// A file that is written from front to back, compressed if its name ends in ".gz". All functions throw
/// std::runtime_error with the file's name and the reason.
class OutFile {
 public:
  explicit OutFile(const std::string& path);
  ~OutFile();
  OutFile(const OutFile&) = delete;
  OutFile& operator=(const OutFile&) = delete;

  void write(std::string_view text);
  /// Call at the end: only then is all of it in the file.
  void close();

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace treering::tools
