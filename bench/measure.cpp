#include "bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

/// The runs of one contestant in one round; returns the seconds of each on this rank.
std::vector<double> take_turn(const Job& job, const Contestant& contestant, const Schedule& schedule,
                              std::uint64_t& salt, std::size_t& wrong) {
  std::vector<double> seconds;
  for (int i = 0; i < schedule.repeats; ++i) {
    contestant.prepare(++salt);
    if (i == 0) schedule.approach();
    const auto start = Clock::now();
    contestant.run();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    wrong += contestant.check(salt);
  }
  if (contestant.uses_engine) job.engine().barrier("bench/turn").wait();
  return seconds;
}

}  // namespace

double Timing::quantile(double q) const {
  if (seconds.empty()) return 0;
  const auto last = static_cast<double>(seconds.size() - 1);
  return seconds[static_cast<std::size_t>(std::lround(q * last))];
}

std::vector<Timing> measure(const Job& job, const std::vector<Contestant>& contestants, const Schedule& schedule) {
  std::vector<Timing> timings(contestants.size());
  std::uint64_t salt = 0;
  for (int round = -schedule.warm_up; round < schedule.rounds; ++round)
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const std::vector<double> seconds = take_turn(job, contestants[i], schedule, salt, timings[i].wrong);
      if (round >= 0) timings[i].seconds.insert(timings[i].seconds.end(), seconds.begin(), seconds.end());
    }
  for (Timing& timing : timings) {
    timing.seconds = job.largest(std::move(timing.seconds));
    std::ranges::sort(timing.seconds);
    timing.wrong = static_cast<std::size_t>(job.total({static_cast<double>(timing.wrong)})[0]);
  }
  return timings;
}

}  // namespace bench
