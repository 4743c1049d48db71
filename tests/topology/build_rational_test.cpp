#include <doctest/doctest.h>

#include "topology/build/rational.h"

using namespace treering::topology;

TEST_CASE("rational: lowest terms, sign in the numerator, text and back") {
  CHECK(Rational::of(-6, -4).text() == "3/2");
  CHECK(Rational::of(6, -4).text() == "-3/2");
  CHECK(Rational::of(0, -5).text() == "0");
  CHECK(parse_rational("24/7") == Rational::of(48, 14));
  CHECK(parse_rational("-3") == Rational(-3));
  for (const char* bad : {"", "/", "1/", "/2", "1/0", "1.5", " 1", "1/2/3", "9223372036854775808"})
    CHECK_THROWS_AS(parse_rational(bad), std::invalid_argument);
}

TEST_CASE("rational: arithmetic and order are exact") {
  CHECK(Rational::of(1, 6) + Rational::of(1, 10) == Rational::of(4, 15));
  CHECK(Rational::of(1, 6) - Rational::of(1, 10) == Rational::of(1, 15));
  CHECK(Rational::of(2, 3) * Rational::of(9, 4) == Rational::of(3, 2));
  CHECK(Rational::of(2, 3) / Rational::of(-4, 9) == Rational::of(-3, 2));
  CHECK(Rational::of(1, 3) < Rational::of(334, 1000));
  CHECK(Rational::of(-1, 2) < Rational(0));
  CHECK_THROWS_AS(Rational(1) / Rational(0), std::domain_error);
}

TEST_CASE("rational: what does not fit is an error, never a wrong number") {
  const Rational large = Rational::of(Wide{1} << 100, 1);
  CHECK(large * Rational::of(1, Wide{1} << 99) == Rational(2));
  CHECK_THROWS_AS(large * large, Overflow);
  CHECK_THROWS_AS(Rational::of(1, (Wide{1} << 100) - 1) + Rational::of(1, (Wide{1} << 99) - 1), Overflow);
  CHECK_THROWS_AS(add(widest, 1), Overflow);
  CHECK_THROWS_AS(subtract(-widest, 1), Overflow);
  CHECK(multiply(-(Wide{1} << 63), Wide{1} << 63) == -(Wide{1} << 126));
}
