#pragma once

#include <compare>
#include <string>

#include "topology/build/wide.h"

namespace treering::topology {

/// An exact fraction in lowest terms, denominator positive. Results that do not fit 128 bits throw Overflow.
class Rational {
 public:
  constexpr Rational() = default;
  constexpr Rational(std::int64_t whole) : numerator_(whole) {}  // NOLINT: whole numbers are fractions
  static Rational of(Wide numerator, Wide denominator);          ///< denominator must not be 0

  Wide numerator() const { return numerator_; }
  Wide denominator() const { return denominator_; }
  double value() const { return static_cast<double>(numerator_) / static_cast<double>(denominator_); }
  std::string text() const;  ///< "24/7", or "4" for whole numbers

  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);
  Rational& operator+=(const Rational& other) { return *this = *this + other; }
  friend bool operator==(const Rational&, const Rational&) = default;
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);

 private:
  Wide numerator_ = 0;
  Wide denominator_ = 1;
};

/// Reads "24/7" or "4"; throws std::invalid_argument on anything else.
Rational parse_rational(const std::string& text);

}  // namespace treering::topology
