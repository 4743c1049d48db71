#pragma once

#include <string>
#include <vector>

#include "tools/treering_timeline/join.h"
#include "tools/treering_timeline/steps.h"
#include "tools/treering_timeline/traffic.h"

namespace treering::tools {

enum class CauseKind : std::uint8_t { late_rank, order, slow_link, huge_tensor, overhead };

/// The word in `summary --json`.
constexpr const char* word_of(CauseKind kind) {
  constexpr const char* words[] = {"late_rank", "order", "slow_link", "huge_tensor", "overhead"};
  return words[static_cast<std::size_t>(kind)];
}

/// What held tensors up, summed over steps.
struct Cause {
  CauseKind kind = CauseKind::overhead;
  int rank = -1;              ///< whose doing it is; for a link, who sends
  int peer = -1;              ///< for a link, who receives
  std::uint32_t name = 0;     ///< the tensor that it shows in most; 0: none
  Nanoseconds lost = 0;       ///< the time in which tensors were held up
  Nanoseconds longest = 0;    ///< the most that it held up one tensor
  std::uint32_t steps = 0;    ///< in which it shows
  std::uint32_t tensors = 0;  ///< late_rank: operations at which the rank was last; others: operations concerned
  double part = 0;  ///< late_rank: due to the program; order: pairs turned round; slow_link: of the moving time;
                    ///< huge_tensor: of the step's bytes
  double rate = 0;  ///< bytes per second; slow_link and huge_tensor
};

/// Causes that together lost something, most lost time first. Each wait is counted for one cause: a wrong order before
/// a late rank, a huge tensor before a slow link. `judged` are the steps to look at.
std::vector<Cause> find_causes(const Joined& joined, const std::vector<Step>& judged, const std::vector<Busy>& busy);

}  // namespace treering::tools
