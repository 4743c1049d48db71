#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "timeline/recorder.h"

namespace treering::timeline {

/// A JSON array on disk that is complete after every write.
///
/// The file ends in "]", and each write replaces that one byte by further lines and a new "]". The kernel may cut a
/// write short between two pages when the process is killed, so no write goes over the end of a page: lines that do not
/// fit into the page wait for the next one, the rest is blank, and the "]" steps over the boundary on its own (see
/// page_step.h). Where that step is not possible a write begins with the old "]" in the page before; a process killed
/// in that moment, of less than a microsecond, leaves a file that needs a "]" after its last newline.
class TraceFile {
 public:
  /// Makes the directory and DIR/rank-N.json, or DIR/rank-N-2.json and so on while another engine writes the former.
  /// Throws Error (unavailable) with advice. `header` begins the array and holds its first element.
  TraceFile(const RecorderOptions& options, std::string_view header);
  /// Does not flush.
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Takes whole lines that end in a newline and belong together; at most `longest` bytes.
  void append(std::string_view lines);
  /// Writes what was appended. False if it could not be written: it is lost then, and the file is as before.
  bool flush();

  /// Calls of `append` whose lines were lost.
  std::uint64_t lost() const { return lost_; }
  /// errno of the latest write that failed; 0 if none has.
  int failure() const { return failure_; }
  const std::string& path() const { return path_; }

  static constexpr std::size_t page = 4096;
  static constexpr std::size_t longest = page - 2;

 private:
  void step_over_page();
  std::size_t last_of_page() const;
  int write_at_end(std::string_view text);

  std::string path_;
  UniqueFd fd_;
  std::size_t end_ = 0;  ///< where the next write begins: at the "]", once there is one
  std::string pending_;
  std::uint64_t pending_appends_ = 0;
  std::uint64_t lost_ = 0;
  int failure_ = 0;
};

}  // namespace treering::timeline
