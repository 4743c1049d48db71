#include "tools/treering_timeline/order.h"

#include <algorithm>
#include <numeric>

#include "tools/treering_timeline/gained.h"
#include "tools/treering_timeline/intervals.h"

namespace treering::tools {
namespace {

/// Below this part of all pairs an order counts as the same: threads that hand over side by side swap neighbours.
constexpr double least_turned = 0.1;

using Places = std::vector<std::uint32_t>;

/// Rows in the order in which `rank` handed them over.
Places order_of(const StepTable& table, std::size_t rank) {
  Places rows(table.rows.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return table.rows[a].enqueued[rank] < table.rows[b].enqueued[rank];
  });
  return rows;
}

Places places_of(const Places& order) {
  Places places(order.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  return places;
}

/// Rows by the median of the places that the ranks give them; of two ranks the first one's.
Places common_order(const StepTable& table, const std::vector<Places>& orders) {
  if (orders.size() == 2) return orders.front();
  std::vector<Places> places;
  for (const Places& order : orders) places.push_back(places_of(order));
  std::vector<Nanoseconds> medians;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::vector<Nanoseconds> given;
    for (const Places& each : places) given.push_back(each[row]);
    medians.push_back(lower_median(std::move(given)));
  }
  Places rows(table.rows.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) { return medians[a] < medians[b]; });
  return rows;
}

/// Pairs of `values` that stand the wrong way round, by merging.
std::uint64_t inversions(std::vector<std::uint32_t> values) {
  std::vector<std::uint32_t> merged(values.size());
  std::uint64_t count = 0;
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t first = 0; first < values.size(); first += 2 * width) {
      const std::size_t middle = std::min(first + width, values.size());
      const std::size_t last = std::min(first + 2 * width, values.size());
      std::size_t left = first;
      std::size_t right = middle;
      for (std::size_t at = first; at < last; ++at) {
        const bool take_left = left < middle && (right == last || values[left] <= values[right]);
        if (!take_left) count += middle - left;
        merged[at] = values[take_left ? left++ : right++];
      }
    }
    values.swap(merged);
  }
  return count;
}

double turned(const Places& own, const Places& reference_places) {
  if (own.size() < 2) return 0;
  std::vector<std::uint32_t> sequence;
  for (const std::uint32_t row : own) sequence.push_back(reference_places[row]);
  const double pairs = static_cast<double>(own.size()) * static_cast<double>(own.size() - 1) / 2;
  return static_cast<double>(inversions(std::move(sequence))) / pairs;
}

/// The rank's own times in order, dealt out in the others' order.
void deal(StepTable& table, std::size_t rank, const Places& reference) {
  for (auto column : {&StepTable::Row::enqueued, &StepTable::Row::ready}) {
    std::vector<Nanoseconds> times;
    for (const StepTable::Row& row : table.rows) times.push_back((row.*column)[rank]);
    std::sort(times.begin(), times.end());
    for (std::size_t place = 0; place < reference.size(); ++place)
      (table.rows[reference[place]].*column)[rank] = times[place];
  }
}

Nanoseconds everywhere(const StepTable::Row& row) { return *std::max_element(row.ready.begin(), row.ready.end()); }

}  // namespace

std::vector<OrderLoss> correct_orders(StepTable& table) {
  std::vector<OrderLoss> losses;
  if (table.ranks < 2 || table.rows.size() < 3) return losses;
  std::vector<Places> orders;
  for (std::size_t rank = 0; rank < table.ranks; ++rank) orders.push_back(order_of(table, rank));
  const Places reference = common_order(table, orders);
  const Places reference_places = places_of(reference);
  for (std::size_t rank = 0; rank < table.ranks; ++rank) {
    OrderLoss loss{rank, turned(orders[rank], reference_places), 0, 0};
    if (loss.turned < least_turned) continue;
    std::vector<Nanoseconds> before;
    for (const StepTable::Row& row : table.rows) before.push_back(everywhere(row));
    deal(table, rank, reference);
    Gained gained;
    Nanoseconds longest = 0;
    for (const std::uint32_t row : reference) {
      const Nanoseconds held = before[row] - everywhere(table.rows[row]);
      gained.add(held);
      if (held > longest) longest = held, loss.operation = table.rows[row].operation;
    }
    loss.lost = gained.total();
    if (loss.lost > 0) losses.push_back(loss);
  }
  return losses;
}

}  // namespace treering::tools
