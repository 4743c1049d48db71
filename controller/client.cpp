#include "controller/client.h"

#include <algorithm>

#include "controller/request_check.h"

namespace treering::controller {
namespace {

std::string label(const Request& request) {
  if (request.tensors.empty()) return "(no tensor)";
  std::string text = "'" + request.tensors.front().name + "'";
  if (request.tensors.size() > 1) text += " and " + std::to_string(request.tensors.size() - 1) + " more of its bundle";
  return text;
}

}  // namespace

// -- requests of this rank

void Client::request(Token token, std::shared_ptr<const Request> request) {
  if (std::string problem = problem_with(*request, size_); !problem.empty()) {
    events_.emplace_back(RequestsFailed{{token}, Status(StatusCode::invalid_argument, std::move(problem))});
    return;
  }
  if (!gone_.ok() || leaving_) {
    const Status own(StatusCode::shut_down, "tensor " + label(*request) + ": requested after the engine of rank " +
                                                std::to_string(rank_) + " was shut down; request before shutdown");
    events_.emplace_back(RequestsFailed{{token}, leaving_ ? own : gone_});
    return;
  }
  Pending& pending = make_pending(token, std::move(request));
  const bool failed = take_debts(pending);
  for (Name* name : pending.names)
    if (name != nullptr) enqueue(pending, *name);
  if (failed && pending.uses == 0) release(pending);
}

// A debt on any name fails the whole request. Names without one keep it, broken: the other ranks' requests that stand
// at the same place of those names' queues have to fail too.
bool Client::take_debts(Pending& pending) {
  const auto owed =
      std::find_if(pending.names.begin(), pending.names.end(), [](const Name* name) { return !name->debts.empty(); });
  if (owed == pending.names.end()) return false;
  pending.failed = true;
  events_.emplace_back(RequestsFailed{{pending.token}, (*owed)->debts.front()});
  for (Name*& name : pending.names) {
    if (name->debts.empty()) continue;
    name->debts.erase(name->debts.begin());
    forget_if_idle(*name);
    name = nullptr;
  }
  return true;
}

void Client::enqueue(Pending& pending, Name& name) {
  ++pending.uses;
  if (name.first == name.queue.size()) {
    name.queue.clear();
    name.first = 0;
  }
  name.queue.push_back(&pending);
  if (name.head() == &pending) announce(name);
}

void Client::announce(Name& name) {
  Pending* head = name.head();
  if (head == nullptr || name.announced) return;
  name.announced = true;
  if (head->failed) {
    announce_broken(*head, name);
  } else if (++head->heads == head->names.size()) {
    ++head->uses;
    fresh_.push_back({head, -1});
  }
}

void Client::announce_broken(Pending& pending, Name& name) {
  const auto place = std::find(pending.names.begin(), pending.names.end(), &name);
  ++pending.uses;
  fresh_.push_back({&pending, static_cast<std::int32_t>(place - pending.names.begin())});
}

Client::Pending* Client::pop(Name& name) {
  Pending* head = name.head();
  if (head == nullptr) return nullptr;
  ++name.first;
  name.announced = false;
  return head;
}

// -- the stream

std::string Client::defined(const std::shared_ptr<const Definition>& definition) {
  Known known{definition, {}, 0};
  for (const TensorSpec& tensor : definition->request.tensors) {
    Name& node = name(tensor.name);
    node.current = definition;
    known.names.push_back(&node);
  }
  Pending* head = known.names.front()->head();
  if (head == nullptr || head->failed || !head->posted || *head->request != definition->request)
    return "a definition of tensor " + label(definition->request) + " that this rank has not asked for";
  head->id = definition->id;
  known_.insert_or_assign(definition->id, std::move(known));
  return {};
}

void Client::retired(const Definition& definition) {
  const auto found = known_.find(definition.id);
  if (found == known_.end()) return;
  const std::vector<Name*> names = std::move(found->second.names);
  known_.erase(found);
  for (Name* name : names) {
    if (name->current && name->current->id == definition.id) name->current = nullptr;
    forget_if_idle(*name);
  }
}

std::string Client::round(const RoundEntry& entry, std::uint64_t sequence) {
  RoundReady ready;
  ready.round.sequence = sequence;
  ready.round.reason = entry.reason;
  ready.round.items.reserve(entry.pieces.size());
  ready.tokens.reserve(entry.pieces.size());
  finished_.clear();
  for (const Piece& piece : entry.pieces)
    if (std::string problem = deliver(piece, ready); !problem.empty()) return problem;
  events_.emplace_back(std::move(ready));
  return {};
}

std::string Client::deliver(const Piece& piece, RoundReady& ready) {
  const auto found = known_.find(piece.id);
  if (found == known_.end()) return "a round with the unknown id " + std::to_string(piece.id);
  Known& known = found->second;
  const Request& request = known.definition->request;
  Pending* head = known.names.front()->head();
  if (head == nullptr || head->failed || head->id != piece.id || head->heads != known.names.size())
    return "a round with tensor " + label(request) + ", which this rank has not asked for";
  const std::uint64_t total = bytes_of(request);
  const std::uint64_t end = piece.end == to_the_end ? total : piece.end;
  if (piece.begin != known.done || end > total)
    return "a piece of tensor " + label(request) + " that does not follow the one before";
  ready.round.items.push_back({known.definition, piece.begin, end});
  ready.tokens.push_back(head->token);
  known.done = end;
  if (end < total) return {};
  known.done = 0;
  finished_.push_back(piece.id);
  for (Name* name : known.names) {
    pop(*name);
    release(*head);
  }
  for (Name* name : known.names) announce(*name);
  return {};
}

void Client::failed(const ErrorEntry& entry) {
  const Status status(StatusCode::mismatch, entry.text);
  RequestsFailed event{{}, status};
  std::vector<Pending*> struck;
  std::vector<Name*> popped;
  for (const std::string& text : entry.names) {
    Name& node = name(text);
    Pending* head = pop(node);
    if (head == nullptr) {
      node.debts.push_back(status);
      continue;
    }
    popped.push_back(&node);
    struck.push_back(head);
    *std::find(head->names.begin(), head->names.end(), &node) = nullptr;
    if (!head->failed) event.tokens.push_back(head->token);
    head->failed = true;
  }
  for (Pending* pending : struck) break_other_heads(*pending);
  for (Name* node : popped) announce(*node);
  for (Pending* pending : struck) release(*pending);
  for (Name* node : popped) forget_if_idle(*node);
  if (!event.tokens.empty()) events_.emplace_back(std::move(event));
}

// Where a request that has just failed is the oldest under another name, it was counted as a whole one.
void Client::break_other_heads(Pending& pending) {
  if (pending.heads == 0) return;
  pending.heads = 0;
  for (Name* name : pending.names)
    if (name != nullptr && name->head() == &pending && name->announced) announce_broken(pending, *name);
}

void Client::left(const LeftEntry& entry) {
  if (gone_.ok())
    gone_ = Status(StatusCode::rank_left, "rank " + std::to_string(entry.rank) +
                                              " has shut its engine down and takes part in nothing more; let every "
                                              "rank make the same requests before any of them shuts down");
  std::vector<const Pending*> lost;
  for (const Pending& pending : store_)
    if (pending.uses > 0 && !pending.failed) lost.push_back(&pending);
  std::sort(lost.begin(), lost.end(), [](const Pending* a, const Pending* b) { return a->token < b->token; });
  for (const Pending* pending : lost)
    events_.emplace_back(RequestsFailed{{pending->token}, ended_by(entry, *pending->request)});
  names_.clear();
  known_.clear();
  fresh_.clear();
  store_.clear();
  free_.clear();
}

Status Client::ended_by(const LeftEntry& entry, const Request& request) const {
  std::string who = "not every rank had requested it";
  for (const LeftEntry::Missing& missing : entry.missing)
    if (missing.name == request.tensors.front().name) who = "not requested by " + missing.ranks.text();
  const std::string open = "tensor " + label(request) + ": ";
  if (leaving_)
    return Status(StatusCode::shut_down, open + "the engine was shut down with this request pending: " + who +
                                             "; wait for its handle before shutdown");
  return Status(StatusCode::rank_left, open + "rank " + std::to_string(entry.rank) +
                                           " has shut its engine down before this request was agreed: " + who +
                                           "; wait for handles on every rank before any shuts down");
}

// -- bookkeeping

Client::Name& Client::name(const std::string& text) {
  const auto [place, is_new] = names_.try_emplace(text);
  if (is_new) place->second.text = &place->first;
  return place->second;
}

void Client::forget_if_idle(Name& name) {
  if (name.current || name.head() != nullptr || !name.debts.empty()) return;
  names_.erase(names_.find(*name.text));
}

Client::Pending& Client::make_pending(Token token, std::shared_ptr<const Request> request) {
  if (free_.empty()) free_.push_back(&store_.emplace_back());
  Pending& pending = *free_.back();
  free_.pop_back();
  pending.token = token;
  pending.request = std::move(request);
  pending.names.clear();
  for (const TensorSpec& tensor : pending.request->tensors) pending.names.push_back(&name(tensor.name));
  pending.heads = pending.uses = 0;
  pending.id = no_id;
  pending.posted = pending.failed = false;
  return pending;
}

void Client::release(Pending& pending) {
  if (pending.uses > 0 && --pending.uses > 0) return;
  pending.failed = true;
  pending.request.reset();
  free_.push_back(&pending);
}

std::string Client::dump() const {
  std::string text;
  std::size_t shown = 0, waiting = 0, debts = 0;
  for (const auto& [name, node] : names_) {
    waiting += node.queue.size() - node.first;
    debts += node.debts.size();
    if (node.head() == nullptr || ++shown > 20) continue;
    text += "  '" + name + "': " + std::to_string(node.queue.size() - node.first) + " waiting, oldest " +
            (node.head()->failed   ? "broken"
             : node.head()->posted ? "posted"
                                   : "not posted") +
            "\n";
  }
  return "own requests: " + std::to_string(waiting) + " in queues, " + std::to_string(debts) + " errors owed" +
         (leaving_ ? ", leaving" : "") + "\n" + text;
}

}  // namespace treering::controller
