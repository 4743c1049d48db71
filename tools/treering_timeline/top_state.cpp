#include "tools/treering_timeline/top_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tools/treering_timeline/utf8.h"
#include "tools/treering_timeline/words.h"

namespace treering::tools {
namespace {

using timeline::Kind;

constexpr std::size_t most_arrivals = 1000;
constexpr std::size_t most_rows = 64;

/// Of the operations that all ranks know: how often each was last, and how long the first waited for it.
struct Last {
  std::size_t count = 0;
  std::uint64_t waited = 0;
};

template <class Arrivals>
std::map<int, Last> last_ones(const Arrivals& arrivals, std::size_t ranks, std::size_t& judged) {
  std::map<int, Last> last;
  for (const auto& [place, arrival] : arrivals) {
    if (arrival.waited.size() < ranks || ranks < 2) continue;
    const auto by_wait = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [least, most] = std::minmax_element(arrival.waited.begin(), arrival.waited.end(), by_wait);
    ++judged;
    ++last[least->first].count;
    last[least->first].waited += most->second - least->second;
  }
  return last;
}

}  // namespace

void TopState::take(int number, const timeline::Block& block) {
  TopRank& rank = ranks_[number];
  if (block.begins_recording()) {
    rank.pending.clear();
    rank.stopped = false;
  }
  for (const auto& [key, value] : block.about) {
    if (key == "host") rank.host = value;
    if (key == "size") std::from_chars(value.data(), value.data() + value.size(), rank.size);
  }
  for (const timeline::Record& record : block.records) take(rank, number, record);
  while (!rank.moved.empty() && rank.moved.front().when < rank.latest - window_) rank.moved.pop_front();
  while (!rank.done.empty() && rank.done.front() < rank.latest - window_) rank.done.pop_front();
  while (arrivals_.size() > most_arrivals) arrivals_.erase(arrivals_.begin());
}

void TopState::take(TopRank& rank, int number, const timeline::Record& record) {
  rank.latest = std::max(rank.latest, record.time);
  const auto& values = record.values;
  switch (record.kind) {
    case Kind::posted: rank.pending.insert(values[0]); return;
    case Kind::agreed: return arrived(number, record);
    case Kind::done:
      rank.pending.erase(values[0]);
      rank.done.push_back(record.time);
      return;
    case Kind::batch_done: rank.moved.push_back({record.time, values[5]}); return;
    case Kind::sample:
      rank.batches_waiting = values[2];
      rank.batches_running = values[3];
      return;
    case Kind::loop:
      rank.stretch = record.signed_value(0);
      rank.working = record.signed_value(1);
      return;
    case Kind::dropped: rank.dropped += values[0]; return;
    case Kind::stopped: rank.stopped = true; return;
    default: return;
  }
}

void TopState::arrived(int rank, const timeline::Record& record) {
  arrivals_[{record.values[1], record.values[2]}].waited[rank] = record.values[3];
}

std::string TopState::picture(const std::string& title) const {
  int size = 0;
  for (const auto& [number, rank] : ranks_) size = std::max(size, rank.size);
  std::size_t judged = 0;
  const auto last = last_ones(arrivals_, ranks_.size(), judged);
  std::string text = title + '\n' + fmt::format("{} of {} ranks write", ranks_.size(), size);
  if (judged > 0) {
    const auto worst = std::max_element(last.begin(), last.end(),
                                        [](const auto& a, const auto& b) { return a.second.waited < b.second.waited; });
    text += fmt::format("; rank {} is waited for most: last with {:.0f} % of {} operations, {} each", worst->first,
                        100.0 * static_cast<double>(worst->second.count) / static_cast<double>(judged), judged,
                        time_words(static_cast<Nanoseconds>(worst->second.waited / worst->second.count)));
  }
  text += fmt::format("\n\n{:>5} {:<14}{:>7}{:>8}{:>8}{:>11}{:>8}{:>6}{:>6}  {}\n", "rank", "host", "pending",
                      "waiting", "running", "bandwidth", "ops/s", "busy", "last", "");
  std::size_t rows = 0;
  for (const auto& [number, rank] : ranks_) {
    if (++rows > most_rows) break;
    const auto found = last.find(number);
    const std::size_t count = found == last.end() ? 0 : found->second.count;
    const std::string part =
        judged == 0 ? "-" : fmt::format("{:.0f}%", 100.0 * static_cast<double>(count) / static_cast<double>(judged));
    text += row(number, rank) + fmt::format("{:>6}  {}\n", part,
                                            rank.stopped       ? "ended"
                                            : rank.dropped > 0 ? "drops"
                                                               : "");
  }
  if (ranks_.size() > most_rows) text += fmt::format("... and {} further ranks\n", ranks_.size() - most_rows);
  return text;
}

std::string TopState::row(int number, const TopRank& rank) const {
  std::uint64_t bytes = 0;
  for (const TopRank::Moved& moved : rank.moved) bytes += moved.bytes;
  const double seconds = static_cast<double>(window_) / 1e9;
  const std::string busy =
      rank.stretch > 0
          ? fmt::format("{:.0f}%", 100.0 * static_cast<double>(rank.working) / static_cast<double>(rank.stretch))
          : "-";
  return fmt::format("{:>5} {:<14.14}{:>7}{:>8}{:>8}{:>11}{:>8.0f}{:>6}", number, printable_utf8(rank.host),
                     rank.pending.size(), rank.batches_waiting, rank.batches_running,
                     rate_words(static_cast<double>(bytes) / seconds), static_cast<double>(rank.done.size()) / seconds,
                     busy);
}

}  // namespace treering::tools
