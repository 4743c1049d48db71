#include "tools/treering_timeline/late.h"

#include <algorithm>
#include <numeric>

#include "tools/treering_timeline/gained.h"

namespace treering::tools {
namespace {

LateLoss loss_of(const StepTable& table, std::size_t rank) {
  std::vector<const StepTable::Row*> rows;
  for (const StepTable::Row& row : table.rows) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [rank](const auto* a, const auto* b) { return a->ready[rank] < b->ready[rank]; });
  LateLoss loss;
  Gained ready;
  Gained handed_over;
  Nanoseconds most = 0;
  for (const StepTable::Row* row : rows) {
    const Nanoseconds before = ready.total();
    const Nanoseconds late = row->ready[rank] - median_of_others(row->ready, rank);
    ready.add(late);
    handed_over.add(row->enqueued[rank] - median_of_others(row->enqueued, rank));
    loss.longest = std::max(loss.longest, late);
    if (ready.total() - before > most) most = ready.total() - before, loss.operation = row->operation;
    if (*std::max_element(row->ready.begin(), row->ready.end()) == row->ready[rank]) ++loss.last;
  }
  loss.lost = ready.total();
  loss.by_program = std::min(handed_over.total(), loss.lost);
  return loss;
}

}  // namespace

std::vector<LateLoss> late_losses(const StepTable& table) {
  std::vector<LateLoss> losses;
  if (table.ranks < 2) return losses;
  for (std::size_t rank = 0; rank < table.ranks; ++rank) losses.push_back(loss_of(table, rank));
  return losses;
}

}  // namespace treering::tools
