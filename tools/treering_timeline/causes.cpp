#include "tools/treering_timeline/causes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "tools/treering_timeline/intervals.h"
#include "tools/treering_timeline/late.h"
#include "tools/treering_timeline/moving.h"
#include "tools/treering_timeline/order.h"

namespace treering::tools {
namespace {

/// Sums what the steps tell, by what is to blame.
class Causes {
  using Key = std::tuple<CauseKind, int, std::uint32_t>;

 public:
  explicit Causes(const Joined& joined) : joined_(joined) {}

  void add_waits(const Step& step) {
    StepTable table = table_of(joined_, step);
    for (const OrderLoss& loss : correct_orders(table)) {
      Cause& cause = add(CauseKind::order, rank_at(loss.rank), loss.lost, loss.operation, loss.lost);
      cause.tensors += static_cast<std::uint32_t>(table.rows.size());
      cause.part = std::max(cause.part, loss.turned);
    }
    const std::vector<LateLoss> late = late_losses(table);
    for (std::size_t rank = 0; rank < late.size(); ++rank) {
      if (late[rank].lost == 0) continue;
      Cause& cause =
          add(CauseKind::late_rank, rank_at(rank), late[rank].lost, late[rank].operation, late[rank].longest);
      cause.tensors += late[rank].last;
      by_program_[cause.rank] += late[rank].by_program;
    }
  }

  void add_moves(const Step& step, const std::vector<Busy>& busy) {
    const MoveLoss loss = move_loss(joined_, step, busy);
    if (loss.overhead > 0) add(CauseKind::overhead, -1, loss.overhead, loss.overhead_operation, loss.overhead);
    if (loss.huge > 0) {
      Cause& cause = add(CauseKind::huge_tensor, -1, loss.huge, loss.huge_operation, loss.huge);
      ++cause.tensors;
      cause.part = std::max(cause.part, loss.huge_part);
      moved_[CauseKind::huge_tensor] += loss.huge_bytes;
    }
    if (loss.network > 0) {
      Cause& cause = add(CauseKind::slow_link, -1, loss.network, loss.network_operation, loss.network);
      network_moving_ += loss.moving;
      cause.part = static_cast<double>(cause.lost) / static_cast<double>(std::max<Nanoseconds>(1, network_moving_));
    }
  }

  std::vector<Cause> take() {
    std::vector<Cause> found;
    for (auto& [key, cause] : causes_) {
      if (cause.kind == CauseKind::late_rank)
        cause.part = static_cast<double>(by_program_[cause.rank]) / static_cast<double>(cause.lost);
      if (cause.kind == CauseKind::huge_tensor)
        cause.rate = static_cast<double>(moved_[cause.kind]) * 1e9 / static_cast<double>(cause.lost);
      const auto& names = names_[key];
      const auto costs_less = [](const auto& a, const auto& b) { return a.second < b.second; };
      cause.name = std::max_element(names.begin(), names.end(), costs_less)->first;
      found.push_back(cause);
    }
    std::stable_sort(found.begin(), found.end(), [](const Cause& a, const Cause& b) { return a.lost > b.lost; });
    return found;
  }

 private:
  int rank_at(std::size_t place) const { return joined_.run().ranks[place].rank; }

  Cause& add(CauseKind kind, int rank, Nanoseconds lost, std::uint32_t operation, Nanoseconds longest) {
    const std::uint32_t name = joined_.operations()[operation].name;
    const std::uint32_t blamed = kind == CauseKind::huge_tensor ? name : 0;
    const Key key{kind, rank, blamed};
    names_[key][name] += lost;
    Cause& cause = causes_[key];
    cause.kind = kind;
    cause.rank = rank;
    cause.lost += lost;
    ++cause.steps;
    cause.longest = std::max(cause.longest, longest);
    return cause;
  }

  const Joined& joined_;
  std::map<Key, Cause> causes_;
  std::map<Key, std::map<std::uint32_t, Nanoseconds>> names_;  ///< where each shows, and what it cost there
  std::map<int, Nanoseconds> by_program_;
  std::map<CauseKind, std::uint64_t> moved_;
  Nanoseconds network_moving_ = 0;
};

/// The link that carried its bytes slowest, of those that carried a fair share.
void name_link(const Run& run, Cause& cause) {
  const std::vector<LinkTotal> links = link_totals(run);
  const LinkTotal* slowest = nullptr;
  for (const LinkTotal& link : links)
    if (link.busy > 0 && link.bytes * 4 >= links.front().bytes && (!slowest || link.rate() < slowest->rate()))
      slowest = &link;
  if (!slowest) return;
  cause.rank = slowest->from;
  cause.peer = slowest->to;
  cause.rate = slowest->rate();
}

}  // namespace

std::vector<Cause> find_causes(const Joined& joined, const std::vector<Step>& judged, const std::vector<Busy>& busy) {
  Causes causes(joined);
  for (const Step& step : judged) {
    causes.add_waits(step);
    causes.add_moves(step, busy);
  }
  std::vector<Cause> found = causes.take();
  for (Cause& cause : found)
    if (cause.kind == CauseKind::slow_link) name_link(joined.run(), cause);
  return found;
}

}  // namespace treering::tools
