#pragma once

#include <cstdint>
#include <string>

#include "timeline/event.h"
#include "timeline/nesting.h"
#include "timeline/recorder.h"

namespace treering::timeline {

/// Turns events into lines of a Chrome trace: each line holds one whole event, and each but the first begins with a
/// comma, so that a file cut after any line needs nothing but a "]".
///
/// Spans of the engine's row become complete events ("X"), unless they cross one another. Spans of the other rows
/// overlap (tensors live at the same time), so each becomes an async pair ("b", "e") with an id of its own, unique over
/// all ranks. The category is the phase. A span that is its subject's whole (a tensor's life, a round, a batch running)
/// is named for the subject; a part is named for the phase, with the subject in args.of.
class EventLines {
 public:
  explicit EventLines(const RecorderOptions& options) : options_(options) {}

  /// The opening bracket and the names of process and rows.
  std::string header() const;
  /// Replaces `lines` by the one or two lines of an event; at most `longest` bytes.
  void render(const Event& event, std::string& lines);
  /// The line that says how many events are missing from the file so far, at the time of the latest event.
  void render_dropped(std::uint64_t dropped, std::string& lines) const;

  static constexpr std::size_t longest = 4000;

 private:
  Nanoseconds since_origin(Nanoseconds time) const;
  void render_complete(const Event& event, Nanoseconds begin, Nanoseconds end, std::string& lines) const;
  void render_async(const Event& event, Nanoseconds begin, Nanoseconds end, std::string& lines);
  void render_instant(const Event& event, Nanoseconds when, std::string& lines) const;
  void begin_line(std::string& lines, char kind, std::string_view name, std::string_view category, Track track,
                  Nanoseconds when) const;

  RecorderOptions options_;
  Nesting engine_row_;
  std::uint64_t next_id_ = 0;
  Nanoseconds latest_ = 0;
};

}  // namespace treering::timeline
