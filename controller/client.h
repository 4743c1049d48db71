#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "controller/book.h"
#include "controller/controller.h"
#include "controller/messages.h"

namespace treering::controller {

/// One rank's own requests: first in, first out for every name.
///
/// Each round and each error of the stream consumes one request of each of its names, on every rank: the oldest one,
/// posted or not. A rank that has none owes it, and its next request of that name is failed by that debt. So the k-th
/// request of a name always meets the k-th consumption of that name. A bundle stands in the queues of all its names
/// and is posted when it is the oldest in each. If it fails because of some of them, it stays in the queues of the
/// others as a *broken* one, without a token, which is posted alone to be failed everywhere.
class Client {
 public:
  Client(int rank, int size, std::deque<Event>& events) : rank_(rank), size_(size), events_(events) {}

  void request(Token token, std::shared_ptr<const Request> request);
  void leave() { leaving_ = true; }
  bool leaving() const { return leaving_; }

  // -- the stream; a text says why the entry cannot be true
  std::string defined(const std::shared_ptr<const Definition>& definition);
  void retired(const Definition& definition);
  std::string round(const RoundEntry& entry, std::uint64_t sequence);
  /// Ids whose last piece was in the round that came last.
  const std::vector<DefinitionId>& finished() const { return finished_; }
  void failed(const ErrorEntry& entry);
  void left(const LeftEntry& entry);

  /// Hands over what may be posted and was not: `id(DefinitionId)` or `spelled(Post)`.
  template <class Id, class Spelled>
  void collect(Id id, Spelled spelled) {
    while (!fresh_.empty()) {
      std::vector<Fresh> batch;
      batch.swap(fresh_);
      for (const Fresh& fresh : batch) post(fresh, id, spelled);
      if (fresh_.empty()) {
        batch.clear();
        fresh_.swap(batch);  // keeps the capacity
      }
    }
  }
  bool has_fresh() const { return !fresh_.empty(); }

  std::string dump() const;

 private:
  struct Name;
  static constexpr DefinitionId no_id = ~DefinitionId{0};

  struct Pending {
    Token token = 0;
    std::shared_ptr<const Request> request;
    std::vector<Name*> names;  // by tensor; null once it has left that queue by failing
    std::size_t heads = 0;     // queues in which it is the oldest
    std::size_t uses = 0;      // queues and fresh entries that mention it
    DefinitionId id = no_id;   // what it was posted or defined as
    bool posted = false;
    bool failed = false;  // only broken heads are left of it
  };

  struct Name {
    const std::string* text = nullptr;
    std::shared_ptr<const Definition> current;
    std::vector<Pending*> queue;
    std::size_t first = 0;
    bool announced = false;     // the head has been counted or, if broken, handed to fresh_
    std::vector<Status> debts;  // oldest first

    Pending* head() const { return first < queue.size() ? queue[first] : nullptr; }
  };

  struct Fresh {
    Pending* pending;
    std::int32_t broken;  // tensor whose name has to be failed everywhere, or -1
  };

  struct Known {
    std::shared_ptr<const Definition> definition;
    std::vector<Name*> names;
    std::uint64_t done = 0;  // bytes of the present instance already delivered
  };

  template <class Id, class Spelled>
  void post(const Fresh& fresh, Id id, Spelled spelled) {
    Pending& pending = *fresh.pending;
    if (fresh.broken >= 0) {
      const Name* name = pending.names[static_cast<std::size_t>(fresh.broken)];
      if (name != nullptr && name->head() == &pending) spelled(Post{pending.request, fresh.broken});
    } else if (!pending.failed) {
      const Definition* current = pending.names.front()->current.get();
      pending.posted = true;
      if (current != nullptr && current->request == *pending.request) {
        pending.id = current->id;
        id(pending.id);
      } else {
        spelled(Post{pending.request, -1});
      }
    }
    release(pending);
  }

  Name& name(const std::string& text);
  void forget_if_idle(Name& name);
  Pending& make_pending(Token token, std::shared_ptr<const Request> request);
  void release(Pending& pending);
  bool take_debts(Pending& pending);
  void enqueue(Pending& pending, Name& name);
  void announce(Name& name);
  void announce_broken(Pending& pending, Name& name);
  void break_other_heads(Pending& pending);
  Pending* pop(Name& name);
  Status ended_by(const LeftEntry& entry, const Request& request) const;
  std::string deliver(const Piece& piece, RoundReady& ready);

  int rank_;
  int size_;
  std::deque<Event>& events_;
  bool leaving_ = false;
  Status gone_;  // why every further request fails
  NameMap<Name> names_;
  std::unordered_map<DefinitionId, Known> known_;
  std::deque<Pending> store_;
  std::vector<Pending*> free_;
  std::vector<Fresh> fresh_;
  std::vector<DefinitionId> finished_;
};

}  // namespace treering::controller
