#include "controller/impl.h"

#include <algorithm>

#include "controller/subtree.h"

namespace treering::controller {
namespace {

// A silent child would keep its parent's tables from being pruned: it says how far it is after so many entries.
constexpr std::uint64_t silent_entries = 1024;

}  // namespace

Controller::Impl::Impl(const transport::World& world, const Tunables& tunables, const Clock& clock,
                       transport::MessageEdge* parent, std::vector<transport::MessageEdge*> children,
                       std::size_t definitions)
    : rank_(world.rank),
      size_(world.size),
      clock_(clock),
      parent_(parent),
      client_(world.rank, world.size, events_),
      vertex_(slots_of(world, world.rank, static_cast<int>(tunables.fanout)), book_, staleness_),
      watch_(tunables, height_of(world, world.rank, static_cast<int>(tunables.fanout))) {
  for (transport::MessageEdge* edge : children) children_.push_back({edge, 0, {}});
  if (rank_ == 0) root_ = std::make_unique<Root>(size_, tunables, definitions);
}

void Controller::Impl::fatal(int peer, const std::string& what) {
  if (dead_) return;
  dead_ = true;
  events_.emplace_back(Fatal{Status(StatusCode::internal, "rank " + std::to_string(rank_) + " received from rank " +
                                                              std::to_string(peer) + " what cannot be: " + what +
                                                              "; the ranks may run different versions of Treering")});
}

// -- one turn

bool Controller::Impl::step() {
  if (dead_) return false;
  if (ended_) return send_down() || tell_end();
  now_ = clock_.now();
  bool moved = receive_stream();
  moved = receive_children() || moved;
  moved = client_.has_fresh() || moved;
  take_own();
  moved = watch() || moved;
  if (root_) moved = decide() || moved;
  moved = send_up() || moved;
  moved = send_down() || moved;
  if (ended_) moved = tell_end() || moved;
  if (moved) forget_acknowledged();
  return moved;
}

std::optional<Event> Controller::Impl::next() {
  if (events_.empty()) return std::nullopt;
  std::optional<Event> event(std::move(events_.front()));
  events_.pop_front();
  return event;
}

// -- inputs

bool Controller::Impl::receive_stream() {
  bool moved = false;
  while (parent_ != nullptr && !dead_) {
    const auto message = parent_->receive();
    if (!message) break;
    take_stream(*message);
    moved = true;
  }
  return moved;
}

void Controller::Impl::take_stream(const Bytes& message) {
  DownReader reader(message, size_);
  if (!reader.ok() || reader.first_position() != position_ + 1) return fatal(parent_->peer(), "a torn stream");
  const std::uint64_t first = reader.first_position();
  while (const auto entry = reader.next())
    if (!apply(*entry)) return;
  if (!reader.ok()) return fatal(parent_->peer(), "a damaged stream");
  ByteWriter header;
  begin_down(header, first);
  for (Child& child : children_) {
    if (child.outbox.size() == 0) {
      child.outbox.put_bytes(message);
    } else {
      child.outbox.put_bytes(std::span(message).subspan(header.size()));
    }
  }
}

bool Controller::Impl::receive_children() {
  bool moved = false;
  for (std::size_t child = 0; child < children_.size(); ++child) {
    while (!dead_) {
      const auto message = children_[child].edge->receive();
      if (!message) break;
      take_from_child(child, *message);
      moved = true;
    }
  }
  return moved;
}

void Controller::Impl::take_from_child(std::size_t child, const Bytes& bytes) {
  const int peer = children_[child].edge->peer();
  const auto message = decode_up(bytes, size_);
  if (!message) return fatal(peer, "a damaged message");
  if (message->seen < children_[child].seen || message->seen > position_)
    return fatal(peer, "word of a place in the stream that it cannot have reached");
  children_[child].seen = message->seen;
  const std::size_t slot = child + 1;
  const auto check = [&](const std::string& problem) {
    if (!problem.empty()) fatal(peer, problem);
  };
  for (const DefinitionId id : message->ids) check(vertex_.take(slot, message->seen, id, now_));
  for (const RankedPost& ranked : message->posts) check(vertex_.take(slot, message->seen, ranked));
  for (const StallReport& report : message->stalls) check(vertex_.take(slot, message->seen, report, now_));
  if (!message->leaving.empty()) check(vertex_.take_leaving(slot, message->leaving));
}

void Controller::Impl::take_own() {
  if (dead_) return;
  const auto check = [&](const std::string& problem) {
    if (!problem.empty()) fatal(rank_, problem);
  };
  client_.collect(
      [&](DefinitionId id) { check(vertex_.take(0, position_, id, now_)); },
      [&](Post post) { check(vertex_.take(0, position_, RankedPost{std::move(post), RankSet::of(rank_)})); });
  if (!client_.leaving() || farewell_said_) return;
  farewell_said_ = true;
  check(vertex_.take_leaving(0, RankSet::of(rank_)));
}

// -- outputs

bool Controller::Impl::send_up() {
  if (parent_ == nullptr || dead_) return false;
  if (!vertex_.has_outgoing() && position_ - said_ < silent_entries) return false;
  if (!parent_->writable()) return false;
  UpMessage message = vertex_.take_outgoing();
  message.seen = said_ = position_;
  parent_->send(encode(message));
  return true;
}

bool Controller::Impl::send_down() {
  bool moved = false;
  for (Child& child : children_) {
    if (child.outbox.size() == 0 || !child.edge->writable()) continue;
    child.edge->send(child.outbox.take());
    child.outbox = {};
    moved = true;
  }
  return moved;
}

// Whoever is told may take the edges down: the children must have got everything by then.
bool Controller::Impl::tell_end() {
  if (end_told_) return false;
  for (const Child& child : children_)
    if (child.outbox.size() > 0 || !child.edge->writable()) return false;
  end_told_ = true;
  events_.emplace_back(StreamEnded{});
  return true;
}

void Controller::Impl::forget_acknowledged() {
  if (staleness_.empty()) return;
  std::uint64_t slowest = position_;
  for (const Child& child : children_) slowest = std::min(slowest, child.seen);
  staleness_.acknowledge(slowest);
}

std::string Controller::Impl::dump() const {
  std::string text = "controller of rank " + std::to_string(rank_) + ": at entry " + std::to_string(position_) +
                     " of the stream, " + std::to_string(rounds_) + " rounds" + (ended_ ? ", ended" : "") +
                     (dead_ ? ", dead" : "") + ", " + std::to_string(staleness_.size()) + " notes for slow children\n";
  text += client_.dump() + vertex_.dump();
  if (root_) text += root_->dump();
  if (parent_ != nullptr)
    text += "parent rank " + std::to_string(parent_->peer()) + ": " + (parent_->writable() ? "writable" : "full") +
            (vertex_.has_outgoing() ? ", something to say" : "") + "\n";
  for (const Child& child : children_)
    text += "child rank " + std::to_string(child.edge->peer()) + ": has seen " + std::to_string(child.seen) + ", " +
            (child.edge->writable() ? "writable" : "full") + ", " + std::to_string(child.outbox.size()) +
            " bytes to send\n";
  return text;
}

}  // namespace treering::controller
