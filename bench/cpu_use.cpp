#include "bench/cpu_use.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace bench {

double process_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

OthersWatch::Ticks OthersWatch::machine_ticks() {
  std::ifstream file("/proc/stat");
  std::string label;
  double user = 0, nice = 0, system = 0, idle = 0, io_wait = 0, interrupts = 0, soft_interrupts = 0, stolen = 0;
  file >> label >> user >> nice >> system >> idle >> io_wait >> interrupts >> soft_interrupts >> stolen;
  if (!file) return {};
  const double busy = user + nice + system + interrupts + soft_interrupts + stolen;
  return {busy, busy + idle + io_wait};
}

OthersWatch::OthersWatch() : machine_(machine_ticks()), own_(process_cpu_seconds()) {}

double OthersWatch::share(const Job& job) const {
  const double own = job.total({process_cpu_seconds() - own_})[0] * static_cast<double>(sysconf(_SC_CLK_TCK));
  const Ticks now = machine_ticks();
  const double all = now.all - machine_.all;
  const double others = all > 0 && job.nodes() == 1 ? (now.busy - machine_.busy - own) / all : 0;
  return job.largest({std::clamp(others, 0.0, 1.0)})[0];
}

}  // namespace bench
