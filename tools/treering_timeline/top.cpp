#include "tools/treering_timeline/top.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iostream>
#include <map>
#include <stdexcept>
#include <thread>

#include "tools/treering_timeline/load.h"
#include "tools/treering_timeline/mapped_file.h"
#include "tools/treering_timeline/top_state.h"

namespace treering::tools {
namespace {

/// Follows the traces of a directory as they grow.
class Follower {
 public:
  Follower(const std::vector<std::string>& paths, TopState& state) : paths_(paths), state_(state) {}

  void read_on() {
    for (const TraceFiles& files : find_traces(paths_)) read_on(files.back());
  }

 private:
  struct Place {
    std::size_t read = 0;
    int rank = -1;
  };

  void read_on(const std::filesystem::path& path) {
    Place& place = places_[path.string()];
    const MappedFile file(path);
    if (file.bytes().size() < place.read) place.read = 0;  // begun anew: the older half moved to a file of its own
    timeline::SpoolReader reader(file.bytes().subspan(place.read));
    std::size_t used = 0;
    while (const auto block = reader.next()) {
      used += sizeof(timeline::BlockHeader) + block->header.length;
      for (const auto& [key, value] : block->about)
        if (key == "rank") std::from_chars(value.data(), value.data() + value.size(), place.rank);
      if (place.rank >= 0) state_.take(place.rank, *block);
    }
    place.read += used + reader.skipped() - reader.torn_at_end();
  }

  const std::vector<std::string>& paths_;
  TopState& state_;
  std::map<std::string, Place> places_;
};

std::string now_words() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  return fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace

int show_top(const TimelineOptions& options) {
  constexpr const char* clear = "\x1b[H\x1b[2J";
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  TopState state(static_cast<Nanoseconds>(std::llround(options.seconds_between * 1e9)));
  Follower follower(options.paths, state);
  for (int shown = 0; options.times == 0 || shown < options.times; ++shown) {
    if (shown > 0) std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds_between));
    follower.read_on();
    std::cout << (terminal ? clear : "")
              << state.picture("treering-timeline top: " + options.paths.front() + ", " + now_words())
              << (terminal ? "" : "\n") << std::flush;
    if (!std::cout) return 1;
  }
  return 0;
}

}  // namespace treering::tools
