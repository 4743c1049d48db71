#include "topology/build/max_flow.h"

#include <algorithm>

namespace treering::topology {

namespace {
std::size_t index(int value) { return static_cast<std::size_t>(value); }
}  // namespace

void MaxFlow::add_edge(int from, int to, Wide capacity) {
  if (capacity <= 0) return;
  edges_.push_back({to, first_[index(from)], capacity});
  first_[index(from)] = static_cast<int>(edges_.size()) - 1;
  edges_.push_back({from, first_[index(to)], 0});
  first_[index(to)] = static_cast<int>(edges_.size()) - 1;
}

bool MaxFlow::label_levels(int source, int sink) {
  level_.assign(first_.size(), -1);
  level_[index(source)] = 0;
  std::vector<int> queue{source};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (int e = first_[index(queue[head])]; e >= 0; e = edges_[index(e)].next) {
      const Edge& edge = edges_[index(e)];
      if (edge.rest <= 0 || level_[index(edge.to)] >= 0) continue;
      level_[index(edge.to)] = level_[index(queue[head])] + 1;
      queue.push_back(edge.to);
    }
  }
  return level_[index(sink)] >= 0;
}

Wide MaxFlow::augment(int vertex, int sink, Wide limit) {
  if (vertex == sink) return limit;
  Wide sent = 0;
  for (int& e = current_[index(vertex)]; e >= 0; e = edges_[index(e)].next) {
    Edge& edge = edges_[index(e)];
    if (edge.rest <= 0 || level_[index(edge.to)] != level_[index(vertex)] + 1) continue;
    const Wide pushed = augment(edge.to, sink, std::min(limit - sent, edge.rest));
    edge.rest -= pushed;
    edges_[index(e ^ 1)].rest = add(edges_[index(e ^ 1)].rest, pushed);
    sent += pushed;
    if (sent == limit) break;
  }
  return sent;
}

Wide MaxFlow::run(int source, int sink, Wide enough) {
  Wide flow = 0;
  while (flow < enough && label_levels(source, sink)) {
    current_ = first_;
    flow = add(flow, augment(source, sink, unlimited));
  }
  return flow;
}

std::vector<Wide> MaxFlow::flows() const {
  std::vector<Wide> result;
  for (std::size_t e = 1; e < edges_.size(); e += 2) result.push_back(edges_[e].rest);
  return result;
}

std::vector<bool> MaxFlow::source_side(int source) const {
  std::vector<bool> reached(first_.size());
  reached[index(source)] = true;
  std::vector<int> queue{source};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (int e = first_[index(queue[head])]; e >= 0; e = edges_[index(e)].next) {
      const Edge& edge = edges_[index(e)];
      if (edge.rest <= 0 || reached[index(edge.to)]) continue;
      reached[index(edge.to)] = true;
      queue.push_back(edge.to);
    }
  }
  return reached;
}

}  // namespace treering::topology
