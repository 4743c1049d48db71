#include "controller/root.h"

#include <algorithm>

#include "controller/mismatch.h"

namespace treering::controller {

Root::Root(int size, const Tunables& tunables, std::size_t capacity)
    : size_(size), cutter_(tunables), usage_(capacity) {}

// -- spelled requests

Root::Answer Root::take(const RankedPost& ranked, Nanoseconds now) {
  const std::vector<Place> touched = touched_by(ranked.post);
  for (const Place& place : touched)
    if (place->ranked.ranks.intersects(ranked.ranks))
      return Problem{"tensor '" + ranked.post.request->tensors.front().name + "' asked for twice by " +
                     ranked.ranks.text()};
  const bool agrees = touched.size() == 1 && touched.front()->ranked.post == ranked.post;
  if (ranked.post.broken >= 0 || (!touched.empty() && !agrees)) return StreamEntry(error(ranked, touched));
  if (touched.empty()) {
    open_.push_back({ranked, now});
    for_each_name(ranked.post, [&](const std::string& name) { by_name_[name] = std::prev(open_.end()); });
  } else {
    touched.front()->ranked.ranks.add(ranked.ranks);
  }
  const Place place = touched.empty() ? std::prev(open_.end()) : touched.front();
  if (place->ranked.ranks.count() < size_) return Nothing{};
  if (next_id_ == ~DefinitionId{0}) return Problem{"all definition ids are used up"};
  const auto definition = std::make_shared<const Definition>(Definition{next_id_++, *place->ranked.post.request});
  close(place);
  return StreamEntry(DefineEntry{definition});
}

std::vector<Root::Place> Root::touched_by(const Post& post) const {
  std::vector<Place> touched;
  for_each_name(post, [&](const std::string& name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return;
    if (std::find(touched.begin(), touched.end(), found->second) == touched.end()) touched.push_back(found->second);
  });
  return touched;
}

// Fails every name that is occupied by any of the requests that meet here: none of them can go on.
ErrorEntry Root::error(const RankedPost& ranked, const std::vector<Place>& touched) {
  ErrorEntry entry;
  const auto add = [&](const std::string& name) { entry.names.push_back(name); };
  for_each_name(ranked.post, add);
  entry.text = ranked.post.broken >= 0 ? broken_text(ranked) : mismatch_text(touched.front()->ranked, ranked);
  for (const Place& place : touched) {
    for_each_name(place->ranked.post, add);
    close(place);
  }
  std::sort(entry.names.begin(), entry.names.end());
  entry.names.erase(std::unique(entry.names.begin(), entry.names.end()), entry.names.end());
  return entry;
}

void Root::close(Place place) {
  for_each_name(place->ranked.post, [&](const std::string& name) { by_name_.erase(by_name_.find(name)); });
  open_.erase(place);
}

// -- what is ready

void Root::take(const Definition& definition) {
  const Request& request = definition.request;
  const bool divisible = request.kind == OperationKind::allreduce && request.tensors.size() == 1;
  cutter_.add(definition.id, bytes_of(request), request.priority, divisible);
  usage_.ready(definition.id);
}

std::optional<StreamEntry> Root::next() {
  if (auto round = cutter_.next()) return *std::move(round);
  if (auto surplus = usage_.surplus(); !surplus.empty()) return RetireEntry{std::move(surplus)};
  if (!cutter_.empty() || ended_) return std::nullopt;
  const RankSet going = leaving_.without(left_);
  if (!going.empty()) return LeftEntry{going.ranges().front().first, {}};
  if (left_.count() < size_) return std::nullopt;
  ended_ = true;
  return EndEntry{};
}

void Root::defined(const Definition& definition) { take(definition); }

void Root::left(int rank) {
  left_.add(rank);
  open_.clear();
  by_name_.clear();
}

std::string Root::dump() const {
  std::string text = "root: " + std::to_string(cutter_.size()) + " ready, " + std::to_string(cutter_.under_way()) +
                     " bytes under way, " + std::to_string(usage_.size()) + " definitions, " +
                     std::to_string(open_.size()) + " spelled by some ranks; left: " + left_.text() + "\n";
  std::size_t shown = 0;
  for (const Open& open : open_) {
    if (++shown > 20) break;
    text += "  '" + open.ranked.post.request->tensors.front().name + "' (" + signature_text(*open.ranked.post.request) +
            ") from " + open.ranked.ranks.text() + "\n";
  }
  return text;
}

}  // namespace treering::controller
