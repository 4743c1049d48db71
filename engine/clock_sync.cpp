#include "engine/clock_sync.h"

#include <utility>

namespace treering {

/// Passes the controller's messages and keeps back the clocks'.
class ClockSync::Edge final : public transport::MessageEdge {
 public:
  Edge(transport::MessageEdge& edge, ClockSync& sync) : edge_(edge), sync_(sync) {}

  int peer() const override { return edge_.peer(); }
  bool writable() const override { return edge_.writable(); }
  void send(Bytes message) override { edge_.send(std::move(message)); }
  bool progress() override { return edge_.progress(); }
  std::optional<Bytes> receive() override {
    while (auto message = edge_.receive()) {
      if (message->empty() || message->front() != timeline::ClockKeeper::mark) return message;
      sync_.receive(*this, *message);
    }
    return std::nullopt;
  }

  /// Goes out when there is room; a newer message replaces one that has not gone.
  void offer(Bytes message) {
    waiting_ = std::move(message);
    flush();
  }
  void flush() {
    if (waiting_ && edge_.writable()) edge_.send(std::move(*std::exchange(waiting_, std::nullopt)));
  }

 private:
  transport::MessageEdge& edge_;
  ClockSync& sync_;
  std::optional<Bytes> waiting_;
};

ClockSync::ClockSync(const Clock& clock, timeline::Recorder& recorder, const timeline::ClockPlace& place)
    : clock_(clock), recorder_(recorder), keeper_(place) {}

ClockSync::~ClockSync() = default;

ClockSync::Edge& ClockSync::share(transport::MessageEdge& edge) {
  return *edges_.emplace_back(std::make_unique<Edge>(edge, *this));
}

transport::MessageEdge* ClockSync::to_parent(transport::MessageEdge& edge) {
  parent_ = &share(edge);
  return parent_;
}

std::vector<transport::MessageEdge*> ClockSync::to_children(const std::vector<transport::MessageEdge*>& edges) {
  std::vector<transport::MessageEdge*> shared;
  for (transport::MessageEdge* edge : edges) shared.push_back(&share(*edge));
  return shared;
}

void ClockSync::receive(Edge& edge, const Bytes& message) {
  const Nanoseconds now = clock_.now();
  if (auto answer = keeper_.receive(message, now, clock_.now())) edge.offer(std::move(*answer));
  if (!keeper_.take_news() || !recorder_.enabled()) return;
  if (const auto point = keeper_.at(now)) recorder_.record(timeline::clock_record(*point));
}

void ClockSync::step(Nanoseconds now, bool may_ask) {
  for (const auto& edge : edges_) edge->flush();
  if (parent_ == nullptr || !may_ask) return;
  if (auto question = keeper_.ask(now, recorder_.enabled())) parent_->offer(std::move(*question));
}

}  // namespace treering
