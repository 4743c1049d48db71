#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace treering::timeline {

/// Where a span is drawn: one row per track and rank.
enum class Track : std::uint8_t { tensors, rounds, batches, engine };

/// What happened during a span.
enum class Phase : std::uint8_t {
  enqueued,   ///< handed over by the user, not yet posted to the controller
  posted,     ///< posted, not yet agreed
  agreed,     ///< agreed (round delivered), not yet running
  queued,     ///< waiting for a lane
  running,    ///< program running: whole batch
  tensor,     ///< whole life of a tensor, enqueue to done
  round,      ///< a round, delivery to last completion; detail = why it was cut
  packed,     ///< copy into slots
  tree,       ///< reduction inside the node
  ring,       ///< between nodes
  broadcast,  ///< back down inside the node
  unpacked,
  asleep,
};

/// Records spans of one engine into a bounded ring and writes them, from its own thread, to DIR/rank-N.json as Chrome
/// trace JSON. `span` and `instant` are called by the engine thread only, never block and never allocate beyond the
/// ring; what does not fit is counted and said in the file. The file is a complete JSON array after every block that
/// was written.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual bool enabled() const = 0;
  /// Times by the engine's clock. `name` (tensor or batch) and `detail` are copied, shortened if very long.
  virtual void span(Track track, Phase phase, std::string_view name, Nanoseconds begin, Nanoseconds end,
                    std::string_view detail = {}) = 0;
  virtual void instant(Track track, std::string_view name, Nanoseconds when, std::string_view detail = {}) = 0;
};

/// Records nothing.
std::unique_ptr<Recorder> no_recorder();

struct RecorderOptions {
  std::string directory;
  int rank = 0;
  int size = 1;
  std::string host;
  Nanoseconds origin = 0;  ///< engine-clock time that all ranks call zero
};

/// Throws Error (unavailable) if the file cannot be made.
std::unique_ptr<Recorder> open_recorder(const RecorderOptions& options);

}  // namespace treering::timeline
