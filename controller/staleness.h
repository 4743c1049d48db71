#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "controller/book.h"
#include "controller/messages.h"

namespace treering::controller {

/// Sorts out what was said before its sender knew better. Every message up carries `seen`, the position of the last
/// stream entry that its sender had processed. A post that arrives with `seen` below the position of an error (or a
/// leave) that concerns one of its names was consumed by that entry at the rank that made it: it is void. An id that
/// arrives with `seen` below the position of its retirement still means its request. What all senders have seen is
/// forgotten.
class Staleness {
 public:
  void consumed(const std::vector<std::string>& names, std::uint64_t position);
  void all_consumed(std::uint64_t position) { everything_ = latest_ = position; }
  void retired(std::shared_ptr<const Definition> definition, std::uint64_t position);

  bool is_void(const Post& post, std::uint64_t seen) const;
  bool is_void(const Request& request, std::uint64_t seen) const;
  /// A definition that a sender with this `seen` could still take for current; null if there is none.
  std::shared_ptr<const Definition> retired_after(std::uint64_t seen, DefinitionId id) const;

  /// No message with `seen` below this position will come any more.
  void acknowledge(std::uint64_t position);
  bool empty() const { return log_.empty(); }
  std::size_t size() const { return log_.size(); }

 private:
  struct Retired {
    std::shared_ptr<const Definition> definition;
    std::uint64_t position;
  };
  struct Record {
    std::uint64_t position;
    std::string name;  // of a consumed name; unused for a retirement
    bool is_retirement;
    DefinitionId id;
  };
  bool is_void(const std::string& name, std::uint64_t seen) const;

  std::uint64_t latest_ = 0;      // position of the youngest consumption: the fast way out
  std::uint64_t everything_ = 0;  // position of the youngest leave
  NameMap<std::uint64_t> consumed_;
  std::unordered_map<DefinitionId, Retired> retired_;
  std::deque<Record> log_;
};

}  // namespace treering::controller
