#include "ops/symbols.h"

#include <fmt/format.h>

#include <algorithm>

namespace treering::ops {

Symbols::Symbols(int ranks) : ranks_(ranks) { terms_.push_back({-1, {}, {}, {}, "nothing"}); }

Symbol Symbols::add(std::string key, Term term) {
  terms_.push_back(std::move(term));
  const auto symbol = static_cast<Symbol>(terms_.size() - 1);
  known_.emplace(std::move(key), symbol);
  return symbol;
}

Symbol Symbols::input(int rank, int run) {
  std::string key = fmt::format("i{}.{}", rank, run);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const auto ranks = static_cast<std::size_t>(ranks_);
  Term term{run, std::vector<std::uint8_t>(ranks), std::vector<std::uint8_t>(ranks), std::vector<std::uint8_t>(ranks),
            fmt::format("x{}", rank)};
  term.times[static_cast<std::size_t>(rank)] = 1;
  return add(std::move(key), std::move(term));
}

Symbol Symbols::reduce(const device::Reduction& what, const std::vector<Symbol>& sources) {
  std::string key = fmt::format("r{}.{}", what.prescaled_sources, static_cast<int>(what.finish));
  for (const Symbol source : sources) key += fmt::format(".{}", source);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const auto ranks = static_cast<std::size_t>(ranks_);
  Term term{terms_[sources.front()].run, std::vector<std::uint8_t>(ranks), std::vector<std::uint8_t>(ranks),
            std::vector<std::uint8_t>(ranks), "("};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Term& source = terms_[sources[i]];
    if (source.run != term.run) term.run = -2;
    const bool prescales = i < what.prescaled_sources;
    for (std::size_t rank = 0; rank < ranks && rank < source.times.size(); ++rank) {
      term.times[rank] = static_cast<std::uint8_t>(term.times[rank] + source.times[rank]);
      term.prescaled[rank] = static_cast<std::uint8_t>(term.prescaled[rank] + source.prescaled[rank] +
                                                       (prescales ? source.times[rank] : 0));
      term.finished[rank] = static_cast<std::uint8_t>(term.finished[rank] + source.finished[rank]);
    }
    term.text += (i > 0 ? "+" : "") + source.text + (prescales ? "'" : "");
  }
  term.text += ')';
  if (what.finish != device::Finish::none) {
    term.text += '*';
    for (std::size_t rank = 0; rank < ranks; ++rank)
      term.finished[rank] = static_cast<std::uint8_t>(term.finished[rank] + term.times[rank]);
  }
  return add(std::move(key), std::move(term));
}

bool Symbols::is_sum_of_all(Symbol symbol, int run, bool prescaled, bool finished) const {
  const Term& term = terms_[symbol];
  const auto all = [](const std::vector<std::uint8_t>& counts, int wanted) {
    return !counts.empty() && std::ranges::all_of(counts, [&](std::uint8_t count) { return count == wanted; });
  };
  return term.run == run && all(term.times, 1) && all(term.prescaled, prescaled ? 1 : 0) &&
         all(term.finished, finished ? 1 : 0);
}

}  // namespace treering::ops
