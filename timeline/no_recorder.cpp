#include "timeline/recorder.h"

namespace treering::timeline {

namespace {

class NoRecorder final : public Recorder {
 public:
  bool enabled() const override { return false; }
  void span(Track, Phase, std::string_view, Nanoseconds, Nanoseconds, std::string_view) override {}
  void instant(Track, std::string_view, Nanoseconds, std::string_view) override {}
};

}  // namespace

std::unique_ptr<Recorder> no_recorder() { return std::make_unique<NoRecorder>(); }

}  // namespace treering::timeline
