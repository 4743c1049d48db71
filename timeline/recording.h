#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "timeline/block_writer.h"
#include "timeline/clock_map.h"
#include "timeline/name_table.h"
#include "timeline/spool_file.h"
#include "timeline/window.h"

namespace treering::timeline {

/// Pairs of key and value that say what a recording is about.
using About = std::vector<std::pair<std::string, std::string>>;

struct RecordingLimits {
  std::uint64_t bytes = 0;        ///< on disk; the older half is given up when it is full. 0: no limit
  std::size_t block = 64 * 1024;  ///< bytes after which a block is written
  RecordWindow window;
};

/// One recording: records in, blocks in a file out. Not thread-safe.
class Recording {
 public:
  /// Begins with a block that holds `about`. `number`: of the recording in the file.
  Recording(SpoolFile& file, const NameTable& names, About about, std::uint32_t number, const RecordingLimits& limits,
            const ClockPoint& clock, Nanoseconds now);

  void add(const Record& record);
  void add_thread(std::uint32_t number, const std::string& name);
  /// So many events never came here.
  void add_dropped(std::uint64_t count, Nanoseconds now);
  /// Writes what there is. False if that failed; its events are then lost and counted.
  bool flush();
  /// The last record, and everything to disk.
  void end(StopCause cause, Nanoseconds now);

  /// True when what the window asks for is complete.
  bool over() const { return window_.over(); }
  std::uint64_t lost() const { return lost_; }

 private:
  void begin_block();
  void define(std::uint32_t id);
  void put(const Record& record);

  SpoolFile& file_;
  const NameTable& names_;
  const About about_;
  const std::uint32_t number_;
  const RecordingLimits limits_;
  WindowFilter window_;
  BlockWriter block_;
  Record clock_;  ///< the latest of its kind, to begin each file with
  std::vector<std::pair<std::uint32_t, std::string>> threads_;
  Nanoseconds latest_ = 0;
  bool begins_ = true;         ///< the block is the first of its file or recording and not yet on disk
  std::uint64_t events_ = 0;   ///< in the block
  std::uint64_t dropped_ = 0;  ///< said in the block
  std::uint64_t lost_ = 0;     ///< events in blocks that could not be written
};

}  // namespace treering::timeline
