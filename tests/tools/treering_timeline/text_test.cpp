#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tools/treering_timeline/utf8.h"
#include "tools/treering_timeline/words.h"

using namespace treering::tools;

TEST_CASE("text: what is valid stays, the rest becomes replacement characters") {
  const std::string mark = "\xef\xbf\xbd";
  CHECK(valid_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x8c\xb3z") == "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x8c\xb3z");
  CHECK(valid_utf8("a\xff") == "a" + mark);
  CHECK(valid_utf8("\xc3") == mark);
  CHECK(valid_utf8("\xc0\xaf") == mark + mark);
  CHECK(valid_utf8("\xed\xa0\x80") == mark + mark + mark);
  CHECK(valid_utf8("\xf4\x90\x80\x80") == mark + mark + mark + mark);
  CHECK(valid_utf8("") == "");
}

TEST_CASE("text: random bytes become text that a strict writer takes") {
  std::uint32_t state = 1;
  for (int turn = 0; turn < 2000; ++turn) {
    std::string bytes;
    for (int i = 0; i < 12; ++i) bytes += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    CHECK_NOTHROW(nlohmann::json(valid_utf8(bytes)).dump());
    CHECK_NOTHROW(nlohmann::json(name_words(bytes)).dump());
  }
}

TEST_CASE("text: no terminal obeys a name") {
  CHECK(name_words("\x1b[2J\n") == "' [2J '");
  CHECK(printable_utf8("\xc2\x9b!") == "\xc2\xa0!");
  const std::string longest = name_words(std::string(4096, 'x') + "tail");
  CHECK(longest.size() < 70);
  CHECK(longest.ends_with("tail'"));
}

TEST_CASE("text: figures keep three digits") {
  CHECK(time_words(0) == "0 us");
  CHECK(time_words(1'234) == "1.23 us");
  CHECK(time_words(50'000'000) == "50.0 ms");
  CHECK(time_words(123'456'789'000) == "123 s");
  CHECK(byte_words(1023) == "1023 B");
  CHECK(byte_words(3 << 19) == "1.50 MiB");
  CHECK(rate_words(1.9e9) == "1.90 GB/s");
}
