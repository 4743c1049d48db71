#pragma once

#include <utility>
#include <vector>

#include "topology/build/rational.h"

namespace treering::topology {

/// The linear program "as much as possible of some columns, no row filled beyond its capacity": each column takes one
/// unit of each of its rows. Columns come one at a time from outside (column generation): enter any whose rows' prices
/// sum to less than price_scale(). A revised simplex on integers (every entry is a minor of the basis, divisions are
/// exact) with the lexicographic rule, so there is no rounding and no cycling. Throws Overflow where minors leave 128
/// bits.
class PackingProgram {
 public:
  explicit PackingProgram(std::vector<Wide> capacities);

  const std::vector<Wide>& prices() const { return prices_; }  ///< per row, in units of 1/price_scale()
  Wide price_scale() const { return scale_; }
  Wide price_of(const std::vector<int>& rows) const;
  void enter(int column, const std::vector<int>& rows);  ///< price_of(rows) < price_scale()
  Rational value() const { return Rational::of(objective_, scale_); }
  std::vector<std::pair<int, Rational>> amounts() const;  ///< columns in use, by row of the basis

 private:
  std::size_t leaving_row(const std::vector<Wide>& direction) const;
  bool leaves_before(std::size_t a, std::size_t b, const std::vector<Wide>& direction) const;

  std::size_t rows_;
  Wide scale_ = 1;                          ///< determinant of the basis
  Wide objective_ = 0;                      ///< value * scale_
  std::vector<Wide> prices_;                ///< dual values * scale_
  std::vector<Wide> filled_;                ///< right-hand side of each basis row * scale_
  std::vector<std::vector<Wide>> inverse_;  ///< inverse of the basis * scale_
  std::vector<int> basis_;                  ///< column of each basis row; -1 = slack
};

}  // namespace treering::topology
