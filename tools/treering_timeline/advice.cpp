#include "tools/treering_timeline/advice.h"

#include <fmt/format.h>

#include "tools/treering_timeline/utf8.h"
#include "tools/treering_timeline/words.h"

namespace treering::tools {
namespace {

std::string host_of(const Run& run, int rank) {
  for (const RankTrace& trace : run.ranks)
    if (trace.rank == rank && !trace.host.empty()) return " (" + printable_utf8(trace.host) + ")";
  return "";
}

std::string per_step(const Cause& cause, std::size_t steps) {
  return fmt::format("{} lost in {} of {} steps, {} at most", time_words(cause.lost), cause.steps, steps,
                     time_words(cause.longest));
}

Advice late_rank(const Cause& cause, const Run& run, const std::string& evidence, const std::string& tensor) {
  constexpr double mostly = 0.5;
  const bool program = cause.part >= mostly;
  Advice advice;
  advice.title = fmt::format("rank {}{} is late", cause.rank, host_of(run, cause.rank));
  advice.evidence =
      fmt::format("{}; it was the last with {} tensors; it falls back at {}; {}", evidence, cause.tensors, tensor,
                  program ? "its program handed them over late"
                          : "its program handed them over in time, its engine told the others late");
  if (program) {
    advice.action = fmt::format(
        "look at what rank {}'s program does before it hands over {}: reading input, logging, an uneven share of the "
        "work, a slower or shared core. Marks in the program (engine->mark) show it. No knob makes up for it.",
        cause.rank, tensor);
  } else {
    advice.action = fmt::format(
        "give the engine thread of rank {} a core: fewer threads or ranks on that machine. A longer TREERING_SPIN_US "
        "keeps it from falling asleep between tensors.",
        cause.rank);
    advice.knob = "TREERING_SPIN_US";
  }
  return advice;
}

Advice order(const Cause& cause, const std::string& evidence, const std::string& tensor) {
  return {fmt::format("rank {} hands tensors over in another order", cause.rank),
          fmt::format("{}; up to {:.0f} % of all pairs are the other way round; {} was held up longest", evidence,
                      100 * cause.part, tensor),
          fmt::format("let rank {} hand over in the same order as the others, e.g. the order of the backward pass. "
                      "Usual reasons: iterating over an unordered container, other code paths, threads. No knob makes "
                      "up for it.",
                      cause.rank),
          ""};
}

Advice slow_link(const Cause& cause, const std::string& evidence, const std::string& tensor) {
  const std::string where = cause.peer < 0 ? "the network between nodes"
                                           : fmt::format("the link from rank {} to rank {}", cause.rank, cause.peer);
  const std::string rate = cause.peer < 0 ? "" : fmt::format("; it carried {} while in use", rate_words(cause.rate));
  return {
      where + " is what tensors wait for",
      fmt::format("{}; {:.0f} % of the time in which batches ran{}; it shows most at {}", evidence, 100 * cause.part,
                  rate, tensor),
      "compare the rate with what the wire should carry: another interface, other traffic, a bad cable. If it is as "
      "fast as it gets, send fewer bytes (halves instead of floats) or, with many small batches, fewer batches "
      "(TREERING_BATCH_LIMIT up).",
      "TREERING_BATCH_LIMIT"};
}

Advice huge_tensor(const Cause& cause, const std::string& evidence, const std::string& tensor) {
  return {
      fmt::format("tensor {} is larger than all others together", tensor),
      fmt::format("{}; {:.0f} % of a step's bytes; it moved at {}", evidence, 100 * cause.part, rate_words(cause.rate)),
      "hand it over as early as the program can, allocate it with Engine::allocate, which is the fastest path, or send "
      "it as halves. If urgent tensors wait behind it, lower TREERING_PIECE_LIMIT.",
      "TREERING_PIECE_LIMIT"};
}

Advice overhead(const std::string& evidence, const std::string& tensor) {
  return {"tensors that are ready everywhere start late", fmt::format("{}; it shows most at {}", evidence, tensor),
          "engine threads react slowly: most often more busy threads than cores. Leave a core to the engines, or raise "
          "TREERING_SPIN_US so that they do not fall asleep between tensors.",
          "TREERING_SPIN_US"};
}

}  // namespace

Advice advice_for(const Cause& cause, const Run& run, std::size_t steps) {
  const std::string evidence = per_step(cause, steps);
  const std::string tensor = name_words(run.names.text(cause.name));
  switch (cause.kind) {
    case CauseKind::late_rank: return late_rank(cause, run, evidence, tensor);
    case CauseKind::order: return order(cause, evidence, tensor);
    case CauseKind::slow_link: return slow_link(cause, evidence, tensor);
    case CauseKind::huge_tensor: return huge_tensor(cause, evidence, tensor);
    case CauseKind::overhead: break;
  }
  return overhead(evidence, tensor);
}

}  // namespace treering::tools
