#include "topology/build/rational.h"

#include <algorithm>
#include <charconv>

namespace treering::topology {

namespace {

std::string digits(Wide value) {
  const bool negative = value < 0;
  std::string text;
  do {
    const int digit = static_cast<int>(value % 10);
    text.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= 10;
  } while (value != 0);
  if (negative) text.push_back('-');
  std::ranges::reverse(text);
  return text;
}

std::int64_t whole_number(const char* begin, const char* end) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (begin == end || error != std::errc() || stop != end)
    throw std::invalid_argument("not a fraction: " + std::string(begin, end));
  return value;
}

}  // namespace

Rational Rational::of(Wide numerator, Wide denominator) {
  if (denominator == 0) throw std::domain_error("fraction with denominator 0");
  const Wide divisor = greatest_common_divisor(numerator, denominator) * (denominator < 0 ? -1 : 1);
  Rational result;
  result.numerator_ = numerator / divisor;
  result.denominator_ = denominator / divisor;
  return result;
}

std::string Rational::text() const {
  return denominator_ == 1 ? digits(numerator_) : digits(numerator_) + "/" + digits(denominator_);
}

Rational operator+(const Rational& a, const Rational& b) {
  const Wide shared = greatest_common_divisor(a.denominator_, b.denominator_);
  const Wide scale_a = b.denominator_ / shared, scale_b = a.denominator_ / shared;
  return Rational::of(add(multiply(a.numerator_, scale_a), multiply(b.numerator_, scale_b)),
                      multiply(a.denominator_, scale_a));
}

Rational operator-(const Rational& a, const Rational& b) { return a + Rational::of(-b.numerator_, b.denominator_); }

Rational operator*(const Rational& a, const Rational& b) {
  // Reducing crosswise first keeps the products as small as the result allows.
  const Rational left = Rational::of(a.numerator_, b.denominator_), right = Rational::of(b.numerator_, a.denominator_);
  return Rational::of(multiply(left.numerator_, right.numerator_), multiply(left.denominator_, right.denominator_));
}

Rational operator/(const Rational& a, const Rational& b) {
  if (b.numerator_ == 0) throw std::domain_error("division of a fraction by 0");
  return a * Rational::of(b.denominator_, b.numerator_);
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  const Wide shared = greatest_common_divisor(a.denominator_, b.denominator_);
  const Wide left = multiply(a.numerator_, b.denominator_ / shared),
             right = multiply(b.numerator_, a.denominator_ / shared);
  return left < right   ? std::strong_ordering::less
         : left > right ? std::strong_ordering::greater
                        : std::strong_ordering::equal;
}

Rational parse_rational(const std::string& text) {
  const std::size_t slash = text.find('/');
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (slash == std::string::npos) return whole_number(begin, end);
  const std::int64_t denominator = whole_number(begin + slash + 1, end);
  if (denominator == 0) throw std::invalid_argument("not a fraction: " + text);
  return Rational::of(whole_number(begin, begin + slash), denominator);
}

}  // namespace treering::topology
