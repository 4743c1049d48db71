#include "controller/stall_text.h"

#include <cstdio>

#include "controller/look_alike.h"
#include "controller/mismatch.h"

namespace treering::controller {
namespace {

constexpr std::size_t most_tensors = 10;
constexpr std::size_t most_candidates = 64;
constexpr std::size_t longest_shown = 120;

std::string shown(const std::string& name) {
  return name.size() <= longest_shown ? "'" + name + "'" : "'" + name.substr(0, longest_shown) + "...'";
}

std::string seconds(Nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(time) / 1e9);
  return text;
}

bool same_signature(const Request& left, const Request& right) {
  return left.kind == right.kind && left.op == right.op && left.tensors.size() == right.tensors.size() &&
         left.tensors.front().type == right.tensors.front().type &&
         left.tensors.front().shape == right.tensors.front().shape;
}

// What the missing ranks ask for instead, as far as anything suggests itself.
std::string suspicion(const Stalled& stalled, const std::vector<Stalled>& open) {
  const std::string& name = stalled.request->tensors.front().name;
  std::string alike;
  for (std::size_t i = 0; i < open.size() && i < most_candidates; ++i) {
    const std::string& other = open[i].request->tensors.front().name;
    if (other == name || stalled.missing.without(open[i].missing).empty()) continue;
    const std::string who = stalled.missing.without(open[i].missing).text(4);
    if (look_alike(name, other)) return "; " + who + " asked for " + shown(other) + ", which looks alike";
    if (alike.empty() && same_signature(*stalled.request, *open[i].request))
      alike = "; " + who + " asked for " + shown(other) + ", which has the same signature";
  }
  return alike;
}

}  // namespace

std::string stall_text(const std::vector<Stalled>& stalled, const std::vector<Stalled>& open, int size) {
  const RankSet all = RankSet::all(size);
  std::string text = "not every rank has asked for ";
  for (std::size_t i = 0; i < stalled.size() && i < most_tensors; ++i) {
    const Stalled& one = stalled[i];
    if (i > 0) text += " | ";
    text += shown(one.request->tensors.front().name) + " (" + signature_text(*one.request) + "): asked for by " +
            all.without(one.missing).text() + ", not by " + one.missing.text() + ", for " + seconds(one.waiting) +
            suspicion(one, open);
  }
  if (stalled.size() > most_tensors)
    text += " | and at least " + std::to_string(stalled.size() - most_tensors) + " more";
  return text;
}

}  // namespace treering::controller
