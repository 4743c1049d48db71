#include "engine/share_plan.h"

#include <fmt/format.h>

#include "base/ranges_text.h"
#include "engine/choose_plan.h"
#include "engine/gather_views.h"
#include "topology/plan_encoding.h"
#include "transport/gather.h"

namespace treering {
namespace {

constexpr std::size_t longest_path = 4096;
constexpr std::size_t longest_text = 64 * 1024;

Bytes encoded(const Config& config, const PlanChoice& choice) {
  ByteWriter writer;
  writer.put_string(config.topology.substr(0, longest_path));
  writer.put_string(config.builder.substr(0, longest_path));
  writer.put_string(choice.why.substr(0, longest_text));
  writer.put(static_cast<std::uint8_t>(choice.plan ? 1 : 0));
  if (choice.plan) topology::encode(*choice.plan, writer);
  return writer.take();
}

/// Fills `config` and `shared` from rank 0's message. The result says what is wrong with it.
Status decode(const Bytes& message, const Tunables& tunables, const topology::JobShape& job, Config& config,
              SharedPlan& shared) {
  ByteReader reader(message);
  config.topology = reader.get_string(longest_path);
  config.builder = reader.get_string(longest_path);
  shared.why = reader.get_string(longest_text);
  const auto has_plan = reader.get<std::uint8_t>();
  topology::DecodedPlan decoded;
  if (has_plan == 0)
    decoded.plan = star_plan(job, tunables);
  else
    decoded = topology::decode_plan(reader, job, most_shares);
  if (!reader.ok() || !reader.at_end() || has_plan > 1) decoded = {std::nullopt, "it is cut short or garbled"};
  if (!decoded.plan)
    return Status(StatusCode::mismatch, "rank 0 sent a plan that this rank cannot use (" + decoded.problem +
                                            "); do all ranks run the same version?");
  shared.plan = std::move(*decoded.plan);
  shared.hash = topology::stable_hash(shared.plan);
  return Status();
}

}  // namespace

void compare_plans(std::span<const std::uint64_t> hash_by_rank) {
  std::vector<int> others;
  for (std::size_t rank = 1; rank < hash_by_rank.size(); ++rank)
    if (hash_by_rank[rank] != hash_by_rank[0]) others.push_back(static_cast<int>(rank));
  if (others.empty()) return;
  throw Error(StatusCode::mismatch,
              fmt::format("the ranks hold different plans: rank 0 has {:016x}, rank(s) {} differ, the first of them "
                          "with {:016x}; do all ranks run the same version?",
                          hash_by_rank[0], ranges_text(others), hash_by_rank[static_cast<std::size_t>(others[0])]));
}

SharedPlan share_plan(Config& config, const Tunables& tunables, const HostView& host, transport::Fabric& fabric,
                      const Log& log) {
  const transport::World& world = fabric.world();
  const topology::JobShape job = job_shape(world);
  const transport::Gather gather = [&](const Bytes& mine) { return fabric.gather_all(mine); };
  PlanChoice choice;
  JobView view;  // in deterministic mode there is nothing to choose
  if (tunables.deterministic == 0) view = gather_views(look_around(config, host), world.rank, job, gather);
  if (world.rank == 0) choice = choose_plan(config, tunables, job, view);
  for (const std::string& line : choice.warnings) log.warning(line);
  transport::agree(gather, choice.problem);
  const Bytes message = gather(world.rank == 0 ? encoded(config, choice) : Bytes{}).front();
  SharedPlan shared;
  transport::agree(gather, decode(message, tunables, job, config, shared));

  ByteWriter mine;
  mine.put(shared.hash);
  std::vector<std::uint64_t> hashes;
  for (const Bytes& theirs : gather(mine.take())) hashes.push_back(ByteReader(theirs).get<std::uint64_t>());
  compare_plans(hashes);
  if (world.rank == 0 && log.enabled(LogLevel::info))
    log.info(fmt::format("plan {:016x}: {}", shared.hash, shared.why));
  return shared;
}

}  // namespace treering
