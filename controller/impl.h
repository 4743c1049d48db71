#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/book.h"
#include "controller/client.h"
#include "controller/controller.h"
#include "controller/encoding.h"
#include "controller/root.h"
#include "controller/staleness.h"
#include "controller/stall_text.h"
#include "controller/stall_watch.h"
#include "controller/vertex.h"

namespace treering::controller {

/// Wires the state machines of one rank to its edges: `impl.cpp` moves messages, `enact.cpp` applies and, at the root,
/// decides the stream, `watch.cpp` reports stalls.
class Controller::Impl {
 public:
  Impl(const transport::World& world, const Tunables& tunables, const Clock& clock, transport::MessageEdge* parent,
       std::vector<transport::MessageEdge*> children, std::size_t definitions);

  void request(Token token, std::shared_ptr<const Request> request) { client_.request(token, std::move(request)); }
  void leave() { client_.leave(); }
  void executed(std::uint64_t bytes) {
    if (root_) root_->executed(bytes);
  }
  bool step();
  std::optional<Event> next();
  std::optional<Nanoseconds> next_timer() const;
  std::string dump() const;

 private:
  struct Child {
    transport::MessageEdge* edge;
    std::uint64_t seen = 0;
    ByteWriter outbox;  // one message: header and entries
  };

  void fatal(int peer, const std::string& what);

  // inputs
  bool receive_stream();
  void take_stream(const Bytes& message);
  bool receive_children();
  void take_from_child(std::size_t child, const Bytes& message);
  void take_own();

  // the stream
  bool apply(const StreamEntry& entry);
  std::string enact(const DefineEntry& entry);
  std::string enact(const RoundEntry& entry);
  std::string enact(const ErrorEntry& entry);
  std::string enact(const RetireEntry& entry);
  std::string enact(const LeftEntry& entry);
  std::string enact(const EndEntry& entry);
  void retire(const std::shared_ptr<const Definition>& definition);

  // outputs
  bool decide();
  void decide_on(const UpMessage& message, std::uint64_t seen);
  void decide_on(const RankedPost& ranked);
  void explain(LeftEntry& entry) const;
  void issue(const StreamEntry& entry);
  bool send_up();
  bool send_down();
  void forget_acknowledged();
  bool tell_end();

  // stalls
  std::optional<Nanoseconds> oldest() const;
  bool watch();
  std::vector<Stalled> incomplete(Nanoseconds age) const;

  const int rank_;
  const int size_;
  const Clock& clock_;
  transport::MessageEdge* parent_;
  std::vector<Child> children_;
  std::deque<Event> events_;
  Book book_;
  Staleness staleness_;
  Client client_;
  Vertex vertex_;
  std::unique_ptr<Root> root_;
  StallWatch watch_;
  Nanoseconds now_ = 0;
  std::uint64_t position_ = 0;  // entries of the stream processed so far
  std::uint64_t said_ = 0;      // `seen` of the last message up
  std::uint64_t rounds_ = 0;
  bool farewell_said_ = false;
  bool ended_ = false;
  bool end_told_ = false;
  bool dead_ = false;
};

}  // namespace treering::controller
