#include <doctest/doctest.h>

#include "tools/treering_timeline/gained.h"
#include "tools/treering_timeline/late.h"
#include "tools/treering_timeline/order.h"
#include "tools/treering_timeline/rows.h"

using namespace treering::tools;
using treering::Nanoseconds;

namespace {

constexpr Nanoseconds ms = 1'000'000;

/// Three ranks that are ready with one operation each millisecond; `delay` is added to rank 2's.
template <class Delay>
StepTable table_with(int operations, const Delay& delay) {
  StepTable table;
  table.ranks = 3;
  for (int operation = 0; operation < operations; ++operation) {
    const Nanoseconds when = (operation + 1) * ms;
    const Nanoseconds last = when + delay(operation);
    table.rows.push_back({static_cast<std::uint32_t>(operation), {when, when, last}, {when, when, last}});
  }
  return table;
}

Nanoseconds gained_by(std::initializer_list<Nanoseconds> delays) {
  Gained gained;
  for (const Nanoseconds delay : delays) gained.add(delay * ms);
  return gained.total();
}

}  // namespace

TEST_CASE("waits: a delay that lasts is lost once, one that comes back is lost again") {
  CHECK(gained_by({50, 50, 50, 50}) == 50 * ms);
  CHECK(gained_by({50, 0, 50, 0}) == 100 * ms);
  CHECK(gained_by({10, 20, 30}) == 30 * ms);
  CHECK(gained_by({-5, 0, -5}) == 0);
  Gained wobbling;
  for (int i = 0; i < 100; ++i) wobbling.add(i % 2 * Gained::noise);
  CHECK(wobbling.total() == 0);
}

TEST_CASE("waits: a late rank loses its delay, not once for each operation") {
  const auto losses = late_losses(table_with(20, [](int operation) { return operation < 5 ? 0 : 50 * ms; }));
  REQUIRE(losses.size() == 3);
  CHECK(losses[2].lost == 50 * ms);
  CHECK(losses[2].by_program == 50 * ms);
  CHECK(losses[2].last == 20);  // of equals all count as last
  CHECK(losses[2].operation == 5);
  CHECK(losses[0].lost == 0);
  CHECK(losses[1].lost == 0);
}

TEST_CASE("waits: a reversed order is blamed as an order and then forgotten") {
  StepTable table = table_with(20, [](int operation) { return (19 - 2 * operation) * ms; });
  const auto orders = correct_orders(table);
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].rank == 2);
  CHECK(orders[0].turned == doctest::Approx(1));
  CHECK(orders[0].lost == 19 * ms);
  CHECK(orders[0].operation == 0);
  for (const LateLoss& loss : late_losses(table)) CHECK(loss.lost == 0);
}

TEST_CASE("waits: neighbours that change places are no order of their own") {
  StepTable table = table_with(20, [](int operation) {
    return operation % 10 == 0 ? ms : operation % 10 == 1 ? -ms : 0;
  });
  CHECK(correct_orders(table).empty());
}

TEST_CASE("waits: one rank alone waits for nobody") {
  StepTable table;
  table.ranks = 1;
  table.rows.push_back({0, {ms}, {ms}});
  CHECK(late_losses(table).empty());
  CHECK(correct_orders(table).empty());
}

TEST_CASE("rows: spans on one row never overlap, and no row is made without need") {
  Rows rows;
  CHECK(rows.place(0, 10) == 0);
  CHECK(rows.place(5, 7) == 1);
  CHECK(rows.place(6, 8) == 2);
  CHECK(rows.place(7, 9) == 1);
  CHECK(rows.place(10, 10) == 0);
  CHECK(rows.place(10, 11) == 1);
  CHECK(rows.count() == 3);
}
