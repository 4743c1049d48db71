#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "device/kernels.h"

namespace treering::ops {

/// Number of an expression; equal numbers mean the same operations on the same operands in the same order, so the same
/// bits. 0: nothing was ever written.
using Symbol = std::uint32_t;

/// Values without numbers: which rank's input they hold how often, and what was done to it.
class Symbols {
 public:
  explicit Symbols(int ranks);

  Symbol input(int rank, int run);
  Symbol reduce(const device::Reduction& what, const std::vector<Symbol>& sources);

  /// Every rank's input of this run exactly once, with the scales that each of them must have seen.
  bool is_sum_of_all(Symbol symbol, int run, bool prescaled, bool finished) const;
  std::string text(Symbol symbol) const { return terms_[symbol].text; }

 private:
  struct Term {
    int run = -1;                                          // -2: of several runs
    std::vector<std::uint8_t> times, prescaled, finished;  // per rank
    std::string text;
  };
  Symbol add(std::string key, Term term);

  int ranks_;
  std::vector<Term> terms_;
  std::map<std::string, Symbol> known_;
};

}  // namespace treering::ops
