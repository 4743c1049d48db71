#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "timeline/json_text.h"
#include "timeline/nesting.h"
#include "timeline/short_text.h"
#include "timeline/spsc_ring.h"

using namespace treering;
using namespace treering::timeline;

namespace {

std::string shortened(const std::string& text, std::size_t capacity) {
  std::string out(capacity, '?');
  out.resize(copy_shortened(text, out));
  return out;
}

std::string quoted_json(const std::string& text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

std::string microseconds(Nanoseconds time) {
  std::string out;
  append_microseconds(out, time);
  return out;
}

}  // namespace

TEST_CASE("copy_shortened: what fits is untouched") {
  CHECK(shortened("", 40).empty());
  CHECK(shortened(std::string(40, 'a'), 40) == std::string(40, 'a'));
}

TEST_CASE("copy_shortened: long texts keep their beginning and stay different") {
  const std::string base(41, 'a');
  const std::string cut = shortened(base, 40);
  CHECK(cut.size() == 40);
  CHECK(cut.starts_with(std::string(20, 'a') + "...#"));
  CHECK(shortened(std::string(41, 'a').replace(40, 1, "b"), 40) != cut);
  CHECK(shortened(base, 40) == cut);
}

TEST_CASE("copy_shortened: does not cut inside a UTF-8 sequence") {
  for (std::size_t lead = 0; lead < 4; ++lead) {
    std::string text(lead, 'a');
    while (text.size() < 100) text += "\xf0\x9f\x8c\xb2";  // four bytes each
    const std::string cut = shortened(text, 40);
    CHECK_NOTHROW(static_cast<void>(nlohmann::json(cut).dump()));
    CHECK(cut.size() > 36);
  }
}

TEST_CASE("append_quoted: what JSON reads back is the text") {
  std::mt19937_64 random(5);
  for (int turn = 0; turn < 500; ++turn) {
    std::string text(random() % 20, ' ');
    for (char& letter : text) letter = static_cast<char>(random() % 128);
    CHECK(nlohmann::json::parse(quoted_json(text)).get<std::string>() == text);
  }
  for (int turn = 0; turn < 500; ++turn) {
    std::string text(random() % 20, ' ');
    for (char& letter : text) letter = static_cast<char>(random() % 256);
    CHECK(nlohmann::json::accept(quoted_json(text)));
    CHECK(quoted_json(text).size() <= 6 * text.size() + 2);
    CHECK(quoted_json(text).find('\n') == std::string::npos);
  }
}

TEST_CASE("append_microseconds: three digits after the point") {
  CHECK(microseconds(0) == "0.000");
  CHECK(microseconds(7) == "0.007");
  CHECK(microseconds(1'020) == "1.020");
  CHECK(microseconds(9'223'372'036'854'775'807) == "9223372036854775.807");
}

TEST_CASE("nesting: beside, inside and around are accepted, crossing is not") {
  Nesting row;
  CHECK(row.accepts(0, 10));
  CHECK(row.accepts(10, 20));
  CHECK(row.accepts(12, 20));
  CHECK(row.accepts(10, 20));
  CHECK_FALSE(row.accepts(15, 25));
  CHECK(row.accepts(5, 30) == false);
  CHECK(row.accepts(0, 30));
  CHECK_FALSE(row.accepts(29, 31));
  CHECK(row.accepts(30, 31));
  CHECK(row.accepts(31, 31));
  CHECK_FALSE(row.accepts(2, 3));  // out of order: not known any more
}

TEST_CASE("nesting: a refused span leaves no trace") {
  Nesting row;
  CHECK(row.accepts(0, 10));
  CHECK(row.accepts(12, 14));
  CHECK_FALSE(row.accepts(5, 16));
  CHECK_FALSE(row.accepts(13, 17));
  CHECK(row.accepts(11, 18));
}

TEST_CASE("nesting: forgets the oldest, and then refuses what it cannot know") {
  Nesting row;
  for (Nanoseconds time = 0; time < 5000; ++time) CHECK(row.accepts(2 * time, 2 * time + 2));
  CHECK_FALSE(row.accepts(0, 10'000));
  CHECK(row.accepts(9'990, 10'000));
}

TEST_CASE("spsc_ring: full, empty, and round and round") {
  SpscRing<int> ring(4);
  std::vector<int> seen;
  const auto take = [&] { return ring.drain([&](int value) { seen.push_back(value); }); };
  int next = 0;
  for (int turn = 0; turn < 10; ++turn) {
    CHECK(take() == 0);
    for (int count = 0; count < 4; ++count) {
      int* const slot = ring.claim();
      REQUIRE(slot != nullptr);
      *slot = next++;
      ring.publish();
    }
    CHECK(ring.claim() == nullptr);
    CHECK(take() == 4);
  }
  for (int index = 0; index < next; ++index) CHECK(seen[static_cast<std::size_t>(index)] == index);
}

TEST_CASE("spsc_ring: two threads, nothing lost or torn") {
  struct Pair {
    std::uint64_t value;
    std::uint64_t inverse;
  };
  constexpr std::uint64_t total = 100'000;
  SpscRing<Pair> ring(64);
  std::thread producer([&] {
    for (std::uint64_t value = 0; value < total;) {
      Pair* const slot = ring.claim();
      if (slot == nullptr) {
        std::this_thread::yield();
        continue;
      }
      *slot = {value, ~value};
      ring.publish();
      ++value;
    }
  });
  std::uint64_t expected = 0;
  bool right = true;
  while (expected < total)
    if (ring.drain([&](const Pair& pair) { right &= pair.value == expected++ && pair.inverse == ~pair.value; }) == 0)
      std::this_thread::yield();
  producer.join();
  CHECK(right);
}
