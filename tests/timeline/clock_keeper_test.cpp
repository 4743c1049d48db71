#include <doctest/doctest.h>

#include <map>
#include <random>

#include "timeline/clock_keeper.h"

using namespace treering;
using namespace treering::timeline;

namespace {

/// A clock that is off and runs at its own speed.
struct Skewed {
  Nanoseconds offset = 0;
  double drift = 0;  ///< seconds gained per second

  Nanoseconds at(Nanoseconds true_time) const {
    return true_time + offset + static_cast<Nanoseconds>(drift * static_cast<double>(true_time));
  }
};

/// A chain of ranks, each the parent of the next, whose messages take random times.
struct Chain {
  std::vector<Skewed> clocks;
  std::vector<ClockKeeper> keepers;
  std::mt19937_64 random{3};
  Nanoseconds now = 0;

  struct Flight {
    std::size_t to = 0;
    std::size_t from = 0;
    Bytes message;
  };
  std::multimap<Nanoseconds, Flight> flights;
  std::size_t messages = 0;

  Chain(std::vector<Skewed> with, std::vector<ClockPlace> places) : clocks(std::move(with)) {
    for (const ClockPlace& place : places) keepers.emplace_back(place);
  }

  Nanoseconds delay() {  // 20 us and more, rarely a millisecond
    return 20'000 + static_cast<Nanoseconds>(random() % 30'000) + (random() % 8 == 0 ? 1'000'000 : 0);
  }

  void send(std::size_t from, std::size_t to, Bytes message) {
    ++messages;
    flights.emplace(now + delay(), Flight{to, from, std::move(message)});
  }

  void turn(const std::vector<bool>& wanted) {
    now += 100'000;
    while (!flights.empty() && flights.begin()->first <= now) {
      const auto [arrived, flight] = *flights.begin();
      flights.erase(flights.begin());
      const Nanoseconds local = clocks[flight.to].at(arrived);
      auto answer = keepers[flight.to].receive(flight.message, local, local + 2000);
      if (answer) send(flight.to, flight.from, std::move(*answer));
    }
    for (std::size_t rank = 1; rank < keepers.size(); ++rank)
      if (auto question = keepers[rank].ask(clocks[rank].at(now), wanted[rank]))
        send(rank, rank - 1, std::move(*question));
  }

  /// By how much the rank's estimate of rank 0's clock is wrong, and by how much it says it may be.
  std::pair<Nanoseconds, Nanoseconds> error(std::size_t rank) const {
    const Nanoseconds local = clocks[rank].at(now);
    const auto point = keepers[rank].at(local);
    if (!point) return {INT64_MAX, 0};
    return {std::abs(local + point->offset - clocks[0].at(now)), point->error};
  }
};

constexpr Nanoseconds hour = 3'600'000'000'000;
constexpr ClockPlace alone{false, false};

}  // namespace

TEST_CASE("clock_keeper: offset and drift are found through a chain, within the bound that is stated and 1 ms") {
  Chain chain({{0, 0}, {-7 * hour, 80e-6}, {3 * hour + 5, -90e-6}, {123, 40e-6}}, {{true, true}, alone, alone, alone});
  const std::vector<bool> wanted{true, true, true, true};
  for (int i = 0; i < 3000; ++i) chain.turn(wanted);  // 0.3 s
  for (std::size_t rank = 1; rank < 4; ++rank) {
    const auto [off, bound] = chain.error(rank);
    CHECK(off <= bound);
    CHECK(off < 1'000'000);
  }
  for (int i = 0; i < 200'000; ++i) {  // 20 s
    chain.turn(wanted);
    if (i % 1000 != 0) continue;
    for (std::size_t rank = 1; rank < 4; ++rank) {
      const auto [off, bound] = chain.error(rank);
      REQUIRE(off <= bound);
      REQUIRE(bound < 1'000'000);
    }
  }
  const auto point = chain.keepers[1].at(chain.clocks[1].at(chain.now));
  REQUIRE(point);
  CHECK(point->drift_ppb < -70'000);
  CHECK(point->drift_ppb > -90'000);
}

TEST_CASE("clock_keeper: nobody asks where nobody wants to know, or where the clock is shared with rank 0") {
  Chain idle({{0, 0}, {5, 0}, {7, 0}}, {{true, true}, alone, alone});
  for (int i = 0; i < 30'000; ++i) idle.turn({true, false, false});
  CHECK(idle.messages == 0);
  CHECK_FALSE(idle.keepers[1].next_due(false));

  Chain shared({{0, 0}, {0, 0}}, {{true, true}, {true, true}});
  for (int i = 0; i < 30'000; ++i) shared.turn({true, true});
  CHECK(shared.messages == 0);
  CHECK(shared.error(1) == std::pair<Nanoseconds, Nanoseconds>{0, 0});
}

TEST_CASE("clock_keeper: a rank in between finds out for its child, and falls silent when the child does") {
  Chain chain({{0, 0}, {hour, 0}, {-hour, 0}}, {{true, true}, alone, alone});
  for (int i = 0; i < 10'000; ++i) chain.turn({false, false, true});
  CHECK(chain.error(2).first < 1'000'000);
  CHECK(chain.error(1).first < 1'000'000);
  for (int i = 0; i < 50'000; ++i) chain.turn({false, false, false});
  const std::size_t before = chain.messages;
  for (int i = 0; i < 50'000; ++i) chain.turn({false, false, false});
  CHECK(chain.messages == before);
}

TEST_CASE("clock_keeper: a rank that shares its parent's clock takes over what the parent knows") {
  Chain chain({{0, 0}, {hour, 1e-5}, {hour, 1e-5}}, {{true, true}, alone, {false, true}});
  for (int i = 0; i < 20'000; ++i) chain.turn({true, true, true});
  const auto [off, bound] = chain.error(2);
  CHECK(off <= bound);
  CHECK(off < 200'000);
}

TEST_CASE("clock_keeper: garbage is ignored") {
  ClockKeeper keeper(alone);
  static_cast<void>(keeper.ask(1000, true));
  std::mt19937_64 random(9);
  for (int turn = 0; turn < 20'000; ++turn) {
    Bytes message(random() % 60);
    for (std::byte& byte : message) byte = static_cast<std::byte>(turn % 2 == 0 ? random() % 4 : random() % 256);
    if (!message.empty()) message[0] = ClockKeeper::mark;
    static_cast<void>(keeper.receive(message, 2000, 2000));
  }
  const Nanoseconds asked = 1000;  // an answer to the right question, with impossible times
  ByteWriter writer;
  writer.put(ClockKeeper::mark);
  writer.put(std::uint8_t{2});
  for (const Nanoseconds value : {asked, INT64_MAX, INT64_MIN, INT64_MAX, Nanoseconds{5}}) writer.put(value);
  static_cast<void>(keeper.receive(writer.take(), 2000, 2000));
  CHECK_FALSE(keeper.at(2000));
}
