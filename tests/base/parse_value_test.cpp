#include <doctest/doctest.h>

#include "base/edit_distance.h"
#include "base/parse_value.h"
#include "treering/status.h"

using namespace treering;

TEST_CASE("parse_bytes: numbers and binary suffixes") {
  CHECK(parse_bytes("0") == 0);
  CHECK(parse_bytes("007") == 7);
  CHECK(parse_bytes("3K") == 3072);
  CHECK(parse_bytes("3k") == 3072);
  CHECK(parse_bytes("5M") == 5 * 1024 * 1024);
  CHECK(parse_bytes("7G") == 7ULL * 1024 * 1024 * 1024);
  CHECK(parse_bytes("65536G") == max_bytes_value);
}

TEST_CASE("parse_bytes: everything else is refused") {
  for (const char* text : {"", "K", "-1", "+1", " 1", "1 ", "1KB", "1KK", "1.5M", "0x10", "1e6", "1T", "65537G",
                           "18446744073709551616", "99999999999999999999G"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_bytes(text), Error);
  }
}

TEST_CASE("parse_count: bounded whole numbers") {
  CHECK(parse_count("0", 9) == 0);
  CHECK(parse_count("9", 9) == 9);
  CHECK(parse_count("18446744073709551615", ~std::uint64_t{0}) == ~std::uint64_t{0});
  for (const char* text : {"", "10", "-0", "1K", "1.0", "18446744073709551616"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_count(text, 9), Error);
  }
}

TEST_CASE("parse_bool: eight words in any case") {
  for (const char* text : {"1", "true", "yes", "on", "TRUE", "Yes"}) CHECK(parse_bool(text));
  for (const char* text : {"0", "false", "no", "off", "OFF", "No"}) CHECK_FALSE(parse_bool(text));
  for (const char* text : {"", "2", "y", "truee", " on"}) CHECK_THROWS_AS(parse_bool(text), Error);
}

TEST_CASE("parse_node_map: one number per rank") {
  CHECK(parse_node_map("").empty());
  CHECK(parse_node_map("0") == std::vector<int>{0});
  CHECK(parse_node_map("3,0,2147483647") == std::vector<int>{3, 0, 2147483647});
  for (const char* text : {",", "0,", ",0", "0, 1", "0;1", "a", "-1", "0,2147483648", "0\n"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_node_map(text), Error);
  }
}

TEST_CASE("bytes_text: parse_bytes reads it back") {
  CHECK(bytes_text(0) == "0");
  CHECK(bytes_text(1023) == "1023");
  CHECK(bytes_text(1024) == "1K");
  CHECK(bytes_text(1536 * 1024) == "1536K");
  CHECK(bytes_text(std::uint64_t{64} << 30) == "64G");
  for (std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 20, max_bytes_value})
    CHECK(parse_bytes(bytes_text(value)) == value);
}

TEST_CASE("quoted: bounded and printable") {
  CHECK(quoted("abc") == "\"abc\"");
  CHECK(quoted("a\nb\xff") == "\"a?b?\"");
  CHECK(quoted(std::string(1000, 'x')) == "\"" + std::string(64, 'x') + "...\"");
}

TEST_CASE("edit_distance: insert, delete, replace") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("chunk", "chunks") == 1);
  CHECK(edit_distance("lane", "line") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("abcd", "bcda") == 2);
}
