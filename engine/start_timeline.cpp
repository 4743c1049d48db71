#include "engine/start_timeline.h"

#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "base/bytes.h"
#include "base/config_fields.h"
#include "controller/controller.h"

namespace treering {

namespace {

Nanoseconds wall_time() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return Nanoseconds{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// What one rank says of its clock at start.
struct ClockCard {
  Nanoseconds now = 0;
  Nanoseconds wall_ahead = 0;  ///< wall time minus the engine's clock
  std::string identity;
};

ClockCard read_card(const Bytes& bytes) {
  ByteReader reader(bytes);
  ClockCard card;
  card.now = reader.get<Nanoseconds>();
  card.wall_ahead = reader.get<Nanoseconds>();
  card.identity = reader.get_string(200);
  return card;
}

std::vector<ClockCard> exchange_cards(const std::string& identity, transport::Fabric& fabric, const Clock& clock) {
  ByteWriter card;
  card.put(clock.now());
  card.put(wall_time() - clock.now());
  card.put_string(identity);
  std::vector<ClockCard> cards;
  for (const Bytes& bytes : fabric.gather_all(card.take())) cards.push_back(read_card(bytes));
  return cards;
}

bool same_clock(const ClockCard& a, const ClockCard& b) { return !a.identity.empty() && a.identity == b.identity; }

/// Ranks that share rank 0's clock know it. Of others only wall clocks are known, which may be set to anything.
timeline::ClockPoint first_estimate(const ClockCard& mine, const ClockCard& root) {
  if (same_clock(mine, root)) return {mine.now, 0, 0, 0};
  constexpr Nanoseconds unknown = 1'000'000'000;
  return {mine.now, mine.wall_ahead - root.wall_ahead, unknown, 0};
}

std::string numbers_text(const std::vector<int>& numbers) {
  std::string text;
  for (const int value : numbers) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

timeline::About about(const Config& config, const std::string& plan, const transport::World& world,
                      const ClockCard& mine, const ClockCard& root) {
  return {{"format", std::to_string(timeline::BlockHeader::format_version)},
          {"rank", std::to_string(world.rank)},
          {"size", std::to_string(world.size)},
          {"host", world.hosts[static_cast<std::size_t>(world.rank)]},
          {"pid", std::to_string(::getpid())},
          {"node", std::to_string(world.node())},
          {"local_rank", std::to_string(world.local_rank_of(world.rank))},
          {"node_of", numbers_text(world.node_of)},
          {"program", ::program_invocation_short_name},
          {"clock", mine.identity},
          {"origin", std::to_string(root.now)},
          {"wall_ahead", std::to_string(mine.wall_ahead)},
          {"config", describe(config)},
          {"plan", plan}};
}

}  // namespace

StartedTimeline start_timeline(const Config& config, const std::string& plan, const std::string& identity,
                               transport::Fabric& fabric, const Clock& clock, const Log& log) {
  const std::vector<ClockCard> cards = exchange_cards(identity, fabric, clock);
  const transport::World& world = fabric.world();
  const auto rank = static_cast<std::size_t>(world.rank);
  const ClockCard& mine = cards[rank];

  timeline::TimelineOptions options;
  options.rank = world.rank;
  options.host = world.hosts[rank];
  options.about = about(config, plan, world, mine, cards.front());
  options.limits.bytes = config.timeline_limit;
  options.limits.window = parse_record_window(config.timeline_window);
  options.clock = first_estimate(mine, cards.front());

  const int parent = controller::neighbours_of(world, world.rank, config.fanout).parent;
  StartedTimeline started;
  started.timeline = std::make_unique<timeline::Timeline>(std::move(options), clock, log);
  started.place.same_as_root = world.rank == 0 || same_clock(mine, cards.front());
  started.place.same_as_parent = parent < 0 || same_clock(mine, cards[static_cast<std::size_t>(parent)]);
  return started;
}

}  // namespace treering
