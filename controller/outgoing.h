#pragma once

#include <string>
#include <unordered_map>

#include "controller/messages.h"

namespace treering::controller {

/// What a vertex will say to its parent at its next turn. Equal posts are merged; what an entry of the stream has
/// overtaken in the meantime can be taken out again.
class Outgoing {
 public:
  void add(DefinitionId id) { message_.ids.push_back(id); }
  void add(const Post& post, const RankSet& ranks);
  void add_leaving(const RankSet& ranks) { message_.leaving.add(ranks); }
  void add(StallReport report) { message_.stalls.push_back(std::move(report)); }

  void remove(DefinitionId id);
  void remove_posts_of(const std::vector<std::string>& names);
  void remove_requests();

  bool empty() const { return message_.empty(); }
  UpMessage take();

 private:
  UpMessage message_;
  std::unordered_map<std::string, std::size_t> youngest_;  // by first name: index of the last such post
};

}  // namespace treering::controller
