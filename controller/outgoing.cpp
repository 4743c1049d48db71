#include "controller/outgoing.h"

#include <algorithm>
#include <utility>

namespace treering::controller {
namespace {

const std::string& first_name(const Post& post) {
  return post.request->tensors[post.broken < 0 ? 0 : static_cast<std::size_t>(post.broken)].name;
}

}  // namespace

void Outgoing::add(const Post& post, const RankSet& ranks) {
  const auto [place, is_new] = youngest_.try_emplace(first_name(post), message_.posts.size());
  if (!is_new) {
    RankedPost& other = message_.posts[place->second];
    if (other.post == post) {
      other.ranks.add(ranks);
      return;
    }
    place->second = message_.posts.size();
  }
  message_.posts.push_back({post, ranks});
}

void Outgoing::remove(DefinitionId id) { std::erase(message_.ids, id); }

void Outgoing::remove_posts_of(const std::vector<std::string>& names) {
  if (message_.posts.empty()) return;
  std::erase_if(message_.posts, [&](const RankedPost& ranked) {
    bool hit = false;
    for_each_name(ranked.post,
                  [&](const std::string& name) { hit = hit || std::binary_search(names.begin(), names.end(), name); });
    return hit;
  });
  youngest_.clear();
  for (std::size_t i = 0; i < message_.posts.size(); ++i) youngest_[first_name(message_.posts[i].post)] = i;
}

void Outgoing::remove_requests() {
  message_.ids.clear();
  message_.posts.clear();
  message_.stalls.clear();
  youngest_.clear();
}

UpMessage Outgoing::take() {
  youngest_.clear();
  return std::exchange(message_, UpMessage{});
}

}  // namespace treering::controller
