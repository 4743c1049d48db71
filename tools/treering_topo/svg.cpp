// Trees are drawn level by level: leaves side by side, a parent above the middle of its children. That is all that
// trees need, and it looks the same everywhere, with or without Graphviz.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tools/treering_topo/report.h"
#include "tools/treering_topo/words.h"
#include "topology/build/tree_shape.h"

namespace treering::tools {
namespace {

constexpr double box_width = 64, box_height = 22, column = 74, row = 52, margin = 14, caption = 24;
constexpr double most_width = 1400;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string{c};
  return result;
}

/// Where each member of a tree is drawn: column (fractions are between leaves) and level.
struct Layout {
  std::vector<double> x;
  std::vector<int> level;
  double columns = 0;
  int levels = 0;
};

double place(const topology::ForestTree& tree, int member, Layout& layout) {
  double sum = 0, children = 0;
  for (std::size_t other = 0; other < tree.parent.size(); ++other)
    if (tree.parent[other] == member) {
      sum += place(tree, static_cast<int>(other), layout);
      ++children;
    }
  return layout.x[static_cast<std::size_t>(member)] = children > 0 ? sum / children : layout.columns++;
}

Layout layout_of(const topology::ForestTree& tree) {
  Layout layout{std::vector<double>(tree.parent.size()), topology::depths(tree.parent), 0, 0};
  place(tree, tree.root, layout);
  layout.levels = 1 + std::ranges::max(layout.level);
  return layout;
}

class Drawing {
 public:
  void title(const std::string& text) {
    break_line();
    y_ += caption;
    write(margin, y_, text, "start", 15);
    y_ += 8;
  }

  void tree(const Report& report, const topology::ForestTree& tree, bool reduces) {
    const Layout layout = layout_of(tree);
    const double width = std::max(layout.columns * column, 130.0), height = layout.levels * row + caption;
    if (x_ + width > most_width) break_line();
    write(x_ + 2, y_ + 16, fmt::format("share {}{}", tree.share.text(), reduces ? ", reduces" : ""), "start", 11);
    const auto middle = [&](int member) { return x_ + (layout.x[static_cast<std::size_t>(member)] + 0.5) * column; };
    const auto top = [&](int member) { return y_ + caption + layout.level[static_cast<std::size_t>(member)] * row; };
    for (int member = 0; member < std::ssize(tree.parent); ++member)
      if (const int parent = tree.parent[static_cast<std::size_t>(member)]; parent >= 0)
        body_ += fmt::format("<path d='M{:.1f} {:.1f}L{:.1f} {:.1f}' stroke='#777'/>\n", middle(parent),
                             top(parent) + box_height, middle(member), top(member));
    for (int member = 0; member < std::ssize(tree.parent); ++member) {
      body_ += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{}' height='{}' rx='4' fill='{}' stroke='#333'/>\n",
                           middle(member) - box_width / 2, top(member), box_width, box_height,
                           member == tree.root ? "#ffd27f" : "#fff");
      write(middle(member), top(member) + 15, member_name(report, member).substr(0, 10), "middle", 11);
    }
    x_ += width + margin;
    line_height_ = std::max(line_height_, height);
    width_ = std::max(width_, x_);
  }

  std::string finish() {
    break_line();
    return fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{0:.0f}' height='{1:.0f}' viewBox='0 0 {0:.0f} "
        "{1:.0f}' font-family='sans-serif'>\n<rect width='100%' height='100%' fill='#fff'/>\n{2}</svg>\n",
        std::max(width_, 600.0), y_ + margin, body_);
  }

 private:
  void break_line() {
    x_ = margin;
    y_ += line_height_;
    line_height_ = 0;
  }
  void write(double x, double y, const std::string& text, const char* anchor, int size) {
    body_ += fmt::format("<text x='{:.1f}' y='{:.1f}' font-size='{}' text-anchor='{}'>{}</text>\n", x, y, size, anchor,
                         escaped(text));
  }

  std::string body_;
  double x_ = margin, y_ = 0, line_height_ = 0, width_ = 0;
};

}  // namespace

std::string svg_of_trees(const Report& report) {
  Drawing drawing;
  for (const topology::Forest& forest : report.forests) {
    drawing.title(forest.builder + ": " + rate_text(report.projection.links, forest.rate) + " of at most " +
                  rate_text(report.projection.links, forest.bound.rate));
    for (const topology::ForestTree& tree : forest.trees) drawing.tree(report, tree, false);
    for (const topology::ForestTree& tree : forest.reduce_trees) drawing.tree(report, tree, true);
  }
  return drawing.finish();
}

}  // namespace treering::tools
