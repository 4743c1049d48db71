#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/request.h"
#include "controller/rank_set.h"

namespace treering::controller {

/// A request that some ranks have made and others have not.
struct Stalled {
  const Request* request = nullptr;
  RankSet missing;
  Nanoseconds waiting = 0;
};

/// One bounded line for people: for each request who has made it, who has not, for how long, and what the missing ones
/// wait for instead, if it looks alike. `open` is everything known to be incomplete; `stalled`, what to report, is
/// oldest first.
std::string stall_text(const std::vector<Stalled>& stalled, const std::vector<Stalled>& open, int size);

}  // namespace treering::controller
