#include "timeline/recording.h"

#include <algorithm>

namespace treering::timeline {

Recording::Recording(SpoolFile& file, const NameTable& names, About about, std::uint32_t number,
                     const RecordingLimits& limits, const ClockPoint& clock, Nanoseconds now)
    : file_(file),
      names_(names),
      about_(std::move(about)),
      number_(number),
      limits_(limits),
      window_(limits.window, now),
      clock_(clock_record(clock)),
      latest_(now) {
  begin_block();
}

/// The first block of a file says what all are about, so that each file can be read without the one before.
void Recording::begin_block() {
  events_ = 0;
  dropped_ = 0;
  block_.begin(number_, latest_, begins_ ? begins_recording : std::uint16_t{0});
  if (!begins_) return;
  for (const auto& [key, value] : about_) block_.about(key, value);
  for (const auto& [number, name] : threads_) block_.thread(number, name);
  put(clock_);
}

void Recording::add_thread(std::uint32_t number, const std::string& name) {
  threads_.emplace_back(number, name);
  block_.thread(number, name);
}

void Recording::add(const Record& record) {
  if (record.kind == Kind::clock) clock_ = record;
  if (!window_.holds(record) && record.kind != Kind::clock) return;
  put(record);
  ++events_;
  if (block_.size() >= limits_.block) flush();
}

void Recording::put(const Record& record) {
  const Layout layout = layout_of(record.kind);
  if (layout.named) define(record.name);
  if (layout.name_values != 0)
    for (std::size_t i = 0; i < layout.values; ++i)
      if ((layout.name_values >> i & 1) != 0) define(static_cast<std::uint32_t>(record.values[i]));
  block_.add(record);
  latest_ = std::max(latest_, record.time);
}

void Recording::define(std::uint32_t id) {
  if (id != 0 && !block_.knows(id)) block_.name(id, names_.text_of(id));
}

void Recording::add_dropped(std::uint64_t count, Nanoseconds now) {
  dropped_ += count;
  put({Kind::dropped, 0, now, {count}});
}

bool Recording::flush() {
  if (block_.records() == 0) return true;
  const bool written = file_.append(block_.finish());
  if (written) {
    begins_ = false;
    if (limits_.bytes > 0 && file_.size() >= limits_.bytes / 2 && file_.retire()) begins_ = true;
  }
  const std::uint64_t missing = written ? 0 : events_ + dropped_;
  if (!written) lost_ += events_;
  begin_block();
  if (missing > 0) add_dropped(missing, latest_);
  return written;
}

void Recording::end(StopCause cause, Nanoseconds now) {
  put({Kind::stopped, 0, now, {static_cast<std::uint64_t>(cause)}});
  flush();
}

}  // namespace treering::timeline
