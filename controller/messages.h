#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/request.h"
#include "base/round.h"
#include "controller/rank_set.h"

namespace treering::controller {

/// A request spelled out. `broken` >= 0: the request has already failed on its rank, and only the name of that one of
/// its tensors still has to be failed on the others, so that first in, first out holds for it too.
struct Post {
  std::shared_ptr<const Request> request;
  std::int32_t broken = -1;

  bool operator==(const Post& other) const { return broken == other.broken && *request == *other.request; }
};

/// The request that a definition stands for, spelled out again.
inline Post spelled(const std::shared_ptr<const Definition>& definition) {
  return Post{std::shared_ptr<const Request>(definition, &definition->request), -1};
}

/// Calls `visit(const std::string&)` for every name that a post occupies.
template <class Visit>
void for_each_name(const Post& post, Visit visit) {
  if (post.broken >= 0) {
    visit(post.request->tensors[static_cast<std::size_t>(post.broken)].name);
  } else {
    for (const TensorSpec& tensor : post.request->tensors) visit(tensor.name);
  }
}

/// A post and the ranks that made it.
struct RankedPost {
  Post post;
  RankSet ranks;
};

/// Within the sender's subtree these ranks have not asked for something that others there asked for some time ago.
struct StallReport {
  DefinitionId id = 0;
  std::uint64_t waiting_ms = 0;
  RankSet missing;
};

/// What a vertex says to its parent in one turn.
struct UpMessage {
  std::uint64_t seen = 0;         ///< position of the last stream entry that the sender has processed
  std::vector<DefinitionId> ids;  ///< requested by every rank of the sender's subtree
  std::vector<RankedPost> posts;
  RankSet leaving;
  std::vector<StallReport> stalls;

  bool empty() const { return ids.empty() && posts.empty() && leaving.empty() && stalls.empty(); }
};

// -- the stream: the same entries in the same order on every rank

/// From now on `id` stands for the request. Ids that stood for requests of any of its names before are retired. Every
/// rank has made the request, so it is ready.
struct DefineEntry {
  std::shared_ptr<const Definition> definition;
};

inline constexpr std::uint64_t to_the_end = std::numeric_limits<std::uint64_t>::max();

struct Piece {
  DefinitionId id = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = to_the_end;
};

struct RoundEntry {
  CutReason reason = CutReason::idle;
  std::vector<Piece> pieces;
};

/// The oldest unagreed request of each of these names fails on every rank; a rank that has none owes it.
struct ErrorEntry {
  std::vector<std::string> names;  ///< strictly ascending
  std::string text;
};

struct RetireEntry {
  std::vector<DefinitionId> ids;
};

/// Every unagreed request fails, and every later one. For some of them the root knows who has not made them.
struct LeftEntry {
  struct Missing {
    std::string name;  ///< of the request's first tensor
    RankSet ranks;
  };
  std::int32_t rank = 0;
  std::vector<Missing> missing;
};

struct EndEntry {};

using StreamEntry = std::variant<DefineEntry, RoundEntry, ErrorEntry, RetireEntry, LeftEntry, EndEntry>;

}  // namespace treering::controller
