#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "timeline/clock_keeper.h"
#include "timeline/recorder.h"
#include "transport/message_edge.h"

namespace treering {

/// Keeps this rank's clock related to rank 0's for the timeline, by small messages between those of the controller on
/// the same edges. Where all ranks share a clock, or nobody records, there are none. Engine thread only.
class ClockSync {
 public:
  ClockSync(const Clock& clock, timeline::Recorder& recorder, const timeline::ClockPlace& place);
  ~ClockSync();
  ClockSync(const ClockSync&) = delete;
  ClockSync& operator=(const ClockSync&) = delete;

  /// An edge for the controller, which sees nothing of the clocks' messages. `edge` must outlive this.
  transport::MessageEdge* to_parent(transport::MessageEdge& edge);
  std::vector<transport::MessageEdge*> to_children(const std::vector<transport::MessageEdge*>& edges);

  /// Once a turn. `may_ask`: the parent is sure to listen.
  void step(Nanoseconds now, bool may_ask);
  /// When `step` will have something to do; none: not by itself.
  std::optional<Nanoseconds> next_due() const { return keeper_.next_due(recorder_.enabled()); }

 private:
  class Edge;

  Edge& share(transport::MessageEdge& edge);
  void receive(Edge& edge, const Bytes& message);

  const Clock& clock_;
  timeline::Recorder& recorder_;
  timeline::ClockKeeper keeper_;
  std::vector<std::unique_ptr<Edge>> edges_;
  Edge* parent_ = nullptr;
};

}  // namespace treering
