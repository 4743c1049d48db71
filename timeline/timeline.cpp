#include "timeline/timeline.h"

#include <utility>

#include "timeline/chrome_trace.h"

namespace treering::timeline {

Timeline::Timeline(TimelineOptions options, const Clock& clock, const Log& log)
    : options_(std::move(options)), clock_(clock), log_(log), user_rings_(options_.user_events) {}

Timeline::~Timeline() { finish(StopCause::engine_ended); }

void Timeline::start(const std::string& directory) {
  const MutexLock lock(mutex_);
  if (finished_) return;
  if (writer_ != nullptr && enabled() && directory == directory_) return;
  stop_locked(StopCause::asked);
  make_file(directory);
  if (!engine_events_) {
    engine_events_ = std::make_unique<EventRing>(options_.engine_events);
    engine_ring_.store(engine_events_.get(), std::memory_order_release);
  }
  const Nanoseconds now = clock_.now();
  About about = options_.about;
  about.emplace_back("began", std::to_string(now));
  Recording recording(*file_, names_, std::move(about), ++recordings_, options_.limits, options_.clock, now);
  writer_ =
      std::make_unique<Writer>(*engine_events_, user_rings_, std::move(recording), *file_, clock_, log_,
                               Writer::Pace{options_.period, options_.looks_per_block}, [this] { enable(false); });
  enable(true);
}

void Timeline::make_file(const std::string& directory) {
  if (file_ != nullptr && directory == directory_) return;
  file_.reset();
  directory_.clear();
  file_ = std::make_unique<SpoolFile>(directory, options_.rank, options_.host);
  directory_ = directory;
  recordings_ = 0;
}

void Timeline::stop(StopCause cause) {
  const MutexLock lock(mutex_);
  stop_locked(cause);
}

void Timeline::stop_locked(StopCause cause) {
  enable(false);
  if (writer_ == nullptr) return;
  writer_->set_cause(cause);
  writer_.reset();
}

void Timeline::finish(StopCause cause) {
  const MutexLock lock(mutex_);
  if (std::exchange(finished_, true)) return;
  stop_locked(cause);
  if (file_ == nullptr) return;
  if (file_->size() <= options_.json_limit) {
    const std::string problem = write_chrome_trace(file_->path(), file_->path_with(".json"));
    if (!problem.empty()) log_.warning("timeline: " + problem);
  }
  file_.reset();
}

void Timeline::record_here(Record record, std::size_t thread_value) {
  if (!enabled()) return;
  const ThreadRings::Own own = user_rings_.own();
  if (own.ring == nullptr) return user_rings_.count_homeless();
  record.values[thread_value] = own.number;
  own.ring->put(record);
}

std::string Timeline::path() const {
  const MutexLock lock(mutex_);
  return file_ == nullptr ? std::string() : file_->path();
}

}  // namespace treering::timeline
