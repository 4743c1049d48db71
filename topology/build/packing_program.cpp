#include "topology/build/packing_program.h"

namespace treering::topology {

PackingProgram::PackingProgram(std::vector<Wide> capacities)
    : rows_(capacities.size()),
      prices_(rows_),
      filled_(std::move(capacities)),
      inverse_(rows_, std::vector<Wide>(rows_)),
      basis_(rows_, -1) {
  for (std::size_t row = 0; row < rows_; ++row) inverse_[row][row] = 1;
}

Wide PackingProgram::price_of(const std::vector<int>& rows) const {
  Wide price = 0;
  for (const int row : rows) price = add(price, prices_[static_cast<std::size_t>(row)]);
  return price;
}

bool PackingProgram::leaves_before(std::size_t a, std::size_t b, const std::vector<Wide>& direction) const {
  const auto difference = [&](Wide at_a, Wide at_b) {
    return subtract(multiply(at_a, direction[b]), multiply(at_b, direction[a]));
  };
  if (const Wide ratio = difference(filled_[a], filled_[b]); ratio != 0) return ratio < 0;
  for (std::size_t column = 0; column < rows_; ++column)
    if (const Wide ratio = difference(inverse_[a][column], inverse_[b][column]); ratio != 0) return ratio < 0;
  return false;
}

std::size_t PackingProgram::leaving_row(const std::vector<Wide>& direction) const {
  std::size_t best = rows_;
  for (std::size_t row = 0; row < rows_; ++row)
    if (direction[row] > 0 && (best == rows_ || leaves_before(row, best, direction))) best = row;
  return best;
}

void PackingProgram::enter(int column, const std::vector<int>& rows) {
  std::vector<Wide> direction(rows_);
  for (std::size_t row = 0; row < rows_; ++row)
    for (const int taken : rows) direction[row] = add(direction[row], inverse_[row][static_cast<std::size_t>(taken)]);
  const Wide saving = subtract(price_of(rows), scale_);
  const std::size_t leaving = leaving_row(direction);
  if (leaving == rows_) throw std::logic_error("a column without rows packs without limit");

  const Wide pivot = direction[leaving];
  const std::vector<Wide>& pivot_row = inverse_[leaving];
  const auto eliminate = [&](Wide value, Wide factor, Wide pivot_row_value) {
    return subtract(multiply(value, pivot), multiply(factor, pivot_row_value)) / scale_;
  };
  const auto eliminate_row = [&](std::vector<Wide> values, Wide factor) {
    for (std::size_t i = 0; i < rows_; ++i) values[i] = eliminate(values[i], factor, pivot_row[i]);
    return values;
  };
  // All of it may overflow, so nothing is changed before everything is known.
  std::vector<std::vector<Wide>> inverse(rows_);
  std::vector<Wide> filled(rows_);
  for (std::size_t row = 0; row < rows_; ++row) {
    inverse[row] = row == leaving ? pivot_row : eliminate_row(inverse_[row], direction[row]);
    filled[row] = row == leaving ? filled_[row] : eliminate(filled_[row], direction[row], filled_[leaving]);
  }
  std::vector<Wide> prices = eliminate_row(prices_, saving);
  objective_ = eliminate(objective_, saving, filled_[leaving]);
  prices_ = std::move(prices);
  inverse_ = std::move(inverse);
  filled_ = std::move(filled);
  scale_ = pivot;
  basis_[leaving] = column;
}

std::vector<std::pair<int, Rational>> PackingProgram::amounts() const {
  std::vector<std::pair<int, Rational>> result;
  for (std::size_t row = 0; row < rows_; ++row)
    if (basis_[row] >= 0 && filled_[row] > 0) result.emplace_back(basis_[row], Rational::of(filled_[row], scale_));
  return result;
}

}  // namespace treering::topology
