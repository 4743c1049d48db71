#include "topology/build/strands.h"

#include <algorithm>
#include <map>

namespace treering::topology {

namespace {

/// One path after the other, without the loops that may arise.
std::vector<int> joined(const std::vector<int>& first, const std::vector<int>& second) {
  std::vector<int> path = first;
  for (std::size_t hop = 1; hop < second.size(); ++hop) {
    const auto seen = std::ranges::find(path, second[hop]);
    if (seen != path.end())
      path.erase(seen + 1, path.end());
    else
      path.push_back(second[hop]);
  }
  return path;
}

}  // namespace

Strands::Strands(int vertices)
    : vertices_(vertices),
      list_(static_cast<std::size_t>(vertices) * static_cast<std::size_t>(vertices)),
      capacity_(list_.size()) {}

void Strands::put(int from, int to, Strand strand) {
  const std::size_t at = place(from, to);
  capacity_[at] = add(capacity_[at], strand.amount);
  for (Strand& other : list_[at])
    if (other.path == strand.path) {
      other.amount = add(other.amount, strand.amount);
      return;
    }
  list_[at].push_back(std::move(strand));
}

Strand Strands::take(int from, int to, Wide most) {
  std::vector<Strand>& list = list_[place(from, to)];
  Strand taken = list.back();
  taken.amount = std::min(taken.amount, most);
  capacity_[place(from, to)] -= taken.amount;
  list.back().amount -= taken.amount;
  if (list.back().amount == 0) list.pop_back();
  return taken;
}

void Strands::splice(int from, int by, int to, Wide amount) {
  while (amount > 0) {
    const Strand in = take(from, by, std::min(amount, between(by, to).back().amount));
    const Strand out = take(by, to, in.amount);
    put(from, to, {in.amount, joined(in.path, out.path)});
    amount -= in.amount;
  }
}

namespace {

struct Fraction {
  Rational amount;
  std::vector<int> path;
};

/// Strands with exact fractions left, by (from, to).
class Supply {
 public:
  Supply(const Strands& strands, int members, Wide scale, Use use) : use_(use) {
    for (int from = 0; from < members; ++from)
      for (int to = 0; to < members; ++to)
        for (const Strand& strand : strands.between(from, to))
          left_[{from, to}].push_back({Rational::of(strand.amount, scale), strand.path});
  }

  const Rational& next(int from, int to) { return list(from, to).back().amount; }

  std::vector<int> take(int from, int to, const Rational& amount) {
    std::vector<Fraction>& strands = list(from, to);
    std::vector<int> path = strands.back().path;
    strands.back().amount = strands.back().amount - amount;
    if (strands.back().amount == Rational(0)) strands.pop_back();
    if (path.front() != from) std::ranges::reverse(path);
    return path;
  }

 private:
  std::vector<Fraction>& list(int from, int to) {
    return left_.at(use_ == Use::both_ways ? std::minmax(from, to) : std::pair<const int&, const int&>(from, to));
  }

  Use use_;
  std::map<std::pair<int, int>, std::vector<Fraction>> left_;
};

}  // namespace

std::vector<ForestTree> routed_trees(const std::vector<ForestTree>& trees, const Strands& strands, Wide scale,
                                     Use use) {
  std::vector<ForestTree> result;
  const int members = trees.empty() ? 0 : static_cast<int>(trees[0].parent.size());
  Supply supply(strands, members, scale, use);
  for (ForestTree tree : trees) {
    tree.route.resize(tree.parent.size());
    for (Rational left = tree.share; left > Rational(0); left = left - tree.share) {
      tree.share = left;
      for (int member = 0; member < members; ++member)
        if (const int parent = tree.parent[static_cast<std::size_t>(member)]; parent >= 0)
          tree.share = std::min(tree.share, supply.next(parent, member));
      for (int member = 0; member < members; ++member)
        if (const int parent = tree.parent[static_cast<std::size_t>(member)]; parent >= 0)
          tree.route[static_cast<std::size_t>(member)] = supply.take(parent, member, tree.share);
      result.push_back(tree);
    }
  }
  return result;
}

}  // namespace treering::topology
