#include "controller/impl.h"

namespace treering::controller {

// -- the stream

bool Controller::Impl::apply(const StreamEntry& entry) {
  ++position_;
  const std::string problem = std::visit([this](const auto& which) { return enact(which); }, entry);
  if (problem.empty()) return true;
  fatal(parent_ != nullptr ? parent_->peer() : rank_, problem);
  return false;
}

std::string Controller::Impl::enact(const DefineEntry& entry) {
  const auto& definition = entry.definition;
  if (book_.find(definition->id) || staleness_.retired_after(0, definition->id)) return "a definition with a used id";
  for (const auto& ended : book_.replaced_by(definition->request)) retire(ended);
  book_.add(definition);
  vertex_.defined(definition);
  if (root_) root_->defined(*definition);
  return client_.defined(definition);
}

std::string Controller::Impl::enact(const RoundEntry& entry) {
  std::string problem = client_.round(entry, rounds_++);
  for (const DefinitionId id : client_.finished()) {
    vertex_.finished(id);
    if (root_) root_->finished(id);
  }
  return problem;
}

std::string Controller::Impl::enact(const ErrorEntry& entry) {
  staleness_.consumed(entry.names, position_);
  vertex_.failed(entry.names);
  client_.failed(entry);
  return {};
}

std::string Controller::Impl::enact(const RetireEntry& entry) {
  for (const DefinitionId id : entry.ids) {
    const auto definition = book_.find(id);
    if (!definition) return "the end of an unknown id";
    retire(definition);
  }
  return {};
}

void Controller::Impl::retire(const std::shared_ptr<const Definition>& definition) {
  book_.remove(definition->id);
  staleness_.retired(definition, position_);
  vertex_.retired(definition->id);
  client_.retired(*definition);
  if (root_) root_->retired(definition->id);
}

std::string Controller::Impl::enact(const LeftEntry& entry) {
  staleness_.all_consumed(position_);
  vertex_.left();
  client_.left(entry);
  if (root_) root_->left(entry.rank);
  events_.emplace_back(RankLeft{entry.rank});
  return {};
}

std::string Controller::Impl::enact(const EndEntry&) {
  ended_ = true;  // told when the children have it: tell_end
  return {};
}

// -- decisions of the root

bool Controller::Impl::decide() {
  const std::uint64_t before = position_;
  do {
    take_own();
    if (vertex_.has_outgoing()) decide_on(vertex_.take_outgoing(), position_);
    while (!dead_) {
      auto entry = root_->next();
      if (!entry) break;
      if (auto* left = std::get_if<LeftEntry>(&*entry)) explain(*left);
      issue(*entry);
    }
  } while (!dead_ && (client_.has_fresh() || vertex_.has_outgoing()));
  return position_ != before;
}

// An entry issued on the way may make the rest of the posts void. Ids come first: nothing has been issued since they
// were collected, so all of them are current.
void Controller::Impl::decide_on(const UpMessage& message, std::uint64_t seen) {
  for (const DefinitionId id : message.ids) root_->take(*book_.find(id));
  for (const RankedPost& ranked : message.posts) {
    if (dead_) return;
    if (!staleness_.is_void(ranked.post, seen)) decide_on(ranked);
  }
  root_->take_leaving(message.leaving);
}

void Controller::Impl::decide_on(const RankedPost& ranked) {
  const Root::Answer answer = root_->take(ranked, now_);
  if (const auto* entry = std::get_if<StreamEntry>(&answer)) issue(*entry);
  if (const auto* problem = std::get_if<Root::Problem>(&answer)) fatal(rank_, problem->text);
}

void Controller::Impl::explain(LeftEntry& entry) const {
  for (Stalled& open : incomplete(0))
    entry.missing.push_back({open.request->tensors.front().name, std::move(open.missing)});
}

void Controller::Impl::issue(const StreamEntry& entry) {
  if (!children_.empty()) {
    ByteWriter raw;
    put_entry(raw, entry);
    const Bytes bytes = raw.take();
    for (Child& child : children_) {
      if (child.outbox.size() == 0) begin_down(child.outbox, position_ + 1);
      child.outbox.put_bytes(bytes);
    }
  }
  apply(entry);
}

}  // namespace treering::controller
