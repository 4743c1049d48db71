#include "controller/vertex.h"

#include <algorithm>

namespace treering::controller {
namespace {

std::string name_of_tensor(const Request& request) { return "tensor '" + request.tensors.front().name + "'"; }

constexpr Nanoseconds per_millisecond = 1'000'000;

bool covered(const Request& request, const std::vector<std::string>& sorted_names) {
  return std::all_of(request.tensors.begin(), request.tensors.end(), [&](const TensorSpec& tensor) {
    return std::binary_search(sorted_names.begin(), sorted_names.end(), tensor.name);
  });
}

}  // namespace

Vertex::Vertex(std::vector<RankSet> slots, const Book& book, const Staleness& staleness)
    : slots_(std::move(slots)), book_(book), staleness_(staleness) {
  for (const RankSet& slot : slots_) ranks_.add(slot);
}

// -- from the slots

std::string Vertex::take(std::size_t slot, std::uint64_t seen, DefinitionId id, Nanoseconds now) {
  const auto found = tallies_.find(id);
  if (found == tallies_.end()) {
    const auto old = staleness_.retired_after(seen, id);
    if (!old) return "the unknown id " + std::to_string(id);
    if (staleness_.is_void(old->request, seen)) return {};
    const RankedPost ranked{spelled(old), slots_[slot]};
    return take(slot, seen, ranked);
  }
  Tally& tally = found->second;
  const Request& request = tally.definition->request;
  if (staleness_.is_void(request, seen)) return {};
  if (tally.spelled) {
    outgoing_.add(spelled(tally.definition), slots_[slot]);
    return {};
  }
  if (!tally.have.insert(slot)) return name_of_tensor(request) + " asked for twice";
  if (!tally.reports.empty()) tally.reports.erase(slot);
  if (!complete(tally)) {
    if (!tally.listed) enlist(tally, now);
    return {};
  }
  delist(tally);
  tally.turn = turn_;
  outgoing_.add(id);
  return {};
}

std::string Vertex::take(std::size_t slot, std::uint64_t seen, const RankedPost& ranked) {
  if (!slots_[slot].contains(ranked.ranks))
    return name_of_tensor(*ranked.post.request) + " asked for by " + ranked.ranks.text() + ", which is not below it";
  if (staleness_.is_void(ranked.post, seen)) return {};
  std::string problem;
  for_each_name(ranked.post, [&](const std::string& name) {
    const Definition* current = book_.current(name);
    if (current == nullptr) return;
    Tally& tally = tallies_.at(current->id);
    if (tally.spelled) return;
    if (sent(tally) || tally.have.contains(slot)) {
      problem = "tensor '" + name + "' asked for twice";
      return;
    }
    spell_out(tally);
    tally.spelled = true;
  });
  if (problem.empty()) outgoing_.add(ranked.post, ranked.ranks);
  return problem;
}

std::string Vertex::take_leaving(std::size_t slot, const RankSet& ranks) {
  if (!slots_[slot].contains(ranks)) return "a farewell of " + ranks.text() + ", which is not below it";
  outgoing_.add_leaving(ranks);
  return {};
}

std::string Vertex::take(std::size_t slot, std::uint64_t seen, StallReport report, Nanoseconds now) {
  if (!slots_[slot].contains(report.missing)) return "a stall of " + report.missing.text() + ", which is not below it";
  const auto found = tallies_.find(report.id);
  if (found == tallies_.end()) return staleness_.retired_after(seen, report.id) ? "" : "a stall of an unknown id";
  Tally& tally = found->second;
  if (staleness_.is_void(tally.definition->request, seen) || tally.spelled || tally.have.contains(slot)) return {};
  if (!tally.listed)
    enlist(tally,
           now - static_cast<Nanoseconds>(std::min(report.waiting_ms, std::uint64_t{1} << 40)) * per_millisecond);
  tally.reports[slot] = std::move(report);
  return {};
}

// -- the stream

void Vertex::defined(const std::shared_ptr<const Definition>& definition) {
  Tally& tally = tallies_[definition->id];
  tally.definition = definition;
  tally.have.fill(slots_.size());
  tally.turn = 0;
}

void Vertex::retired(DefinitionId id) {
  const auto found = tallies_.find(id);
  if (found == tallies_.end()) return;
  if (!sent(found->second)) spell_out(found->second);
  delist(found->second);
  tallies_.erase(found);
}

void Vertex::finished(DefinitionId id) {
  const auto found = tallies_.find(id);
  if (found != tallies_.end()) reset(found->second);
}

void Vertex::failed(const std::vector<std::string>& names) {
  outgoing_.remove_posts_of(names);
  for (const std::string& name : names) {
    const Definition* current = book_.current(name);
    if (current == nullptr) continue;
    Tally& tally = tallies_.at(current->id);
    // A spelled request of another of its names may still be under way.
    const bool spelled = tally.spelled && !covered(current->request, names);
    reset(tally);
    tally.spelled = spelled;
  }
}

void Vertex::left() {
  outgoing_.remove_requests();
  for (auto& [id, tally] : tallies_) reset(tally);
}

void Vertex::reset(Tally& tally) {
  if (queued(tally)) outgoing_.remove(tally.definition->id);
  delist(tally);
  tally.have.clear();
  tally.spelled = false;
}

void Vertex::spell_out(Tally& tally) {
  const Post post = spelled(tally.definition);
  for (std::size_t slot = 0; slot < slots_.size(); ++slot)
    if (tally.have.contains(slot)) outgoing_.add(post, slots_[slot]);
  reset(tally);
}

UpMessage Vertex::take_outgoing() {
  ++turn_;
  return outgoing_.take();
}

// -- partial sets

// Ages arrive in order, but for those that children report.
void Vertex::enlist(Tally& tally, Nanoseconds since) {
  tally.since = since;
  tally.listed = true;
  tally.older = youngest_;
  while (tally.older != nullptr && tally.older->since > since) tally.older = tally.older->older;
  tally.younger = tally.older != nullptr ? tally.older->younger : oldest_;
  (tally.older != nullptr ? tally.older->younger : oldest_) = &tally;
  (tally.younger != nullptr ? tally.younger->older : youngest_) = &tally;
}

void Vertex::delist(Tally& tally) {
  if (!tally.listed) return;
  (tally.older != nullptr ? tally.older->younger : oldest_) = tally.younger;
  (tally.younger != nullptr ? tally.younger->older : youngest_) = tally.older;
  tally.listed = false;
  if (!tally.reports.empty()) tally.reports.clear();
}

std::optional<Nanoseconds> Vertex::oldest() const {
  if (oldest_ == nullptr) return std::nullopt;
  return oldest_->since;
}

RankSet Vertex::missing(const Tally& tally) const {
  RankSet missing;
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    if (tally.have.contains(slot)) continue;
    const auto report = tally.reports.find(slot);
    missing.add(report == tally.reports.end() ? slots_[slot] : report->second.missing);
  }
  return missing;
}

std::vector<StallReport> Vertex::stalled(Nanoseconds now, Nanoseconds age, std::size_t limit) const {
  std::vector<StallReport> reports;
  for (const Tally* tally = oldest_; tally != nullptr && reports.size() < limit; tally = tally->younger) {
    if (now - tally->since < age) break;
    const auto waiting = static_cast<std::uint64_t>(now - tally->since) / per_millisecond;
    reports.push_back({tally->definition->id, waiting, missing(*tally)});
  }
  return reports;
}

void Vertex::report(Nanoseconds now, Nanoseconds age, std::size_t limit) {
  for (StallReport& stall : stalled(now, age, limit)) outgoing_.add(std::move(stall));
}

std::string Vertex::dump() const {
  std::string text = "merging " + std::to_string(slots_.size()) + " slots, " + std::to_string(tallies_.size()) +
                     " definitions; partial:\n";
  std::size_t shown = 0;
  for (const Tally* tally = oldest_; tally != nullptr && shown < 20; tally = tally->younger, ++shown)
    text += "  " + name_of_tensor(tally->definition->request) + " not from " + missing(*tally).text() + "\n";
  return text;
}

}  // namespace treering::controller
