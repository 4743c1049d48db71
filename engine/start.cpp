#include "engine/start.h"

#include <fmt/format.h>
#include <time.h>

#include "base/config_check.h"
#include "base/config_fields.h"
#include "base/device_list.h"
#include "base/serialize.h"
#include "controller/controller.h"
#include "engine/choose_plan.h"
#include "engine/share_plan.h"

namespace treering {
namespace {

Tunables tunables_from(const Bytes& settings) {
  ByteReader reader(settings);
  const Tunables tunables = decode_tunables(reader);
  if (!reader.ok())
    throw Error(StatusCode::mismatch,
                "rank 0 sent settings that this rank cannot read; do all ranks run the same version?");
  return tunables;
}

Nanoseconds wall_time() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return Nanoseconds{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Engine-clock time of rank 0's start, on this rank's clock. Ranks of one machine share both clocks, so they agree to
/// the microsecond; between machines this is as good as their wall clocks.
Nanoseconds common_origin(transport::Fabric& fabric, const Clock& clock) {
  const Nanoseconds wall_ahead = wall_time() - clock.now();
  ByteWriter mine;
  mine.put(wall_ahead + clock.now());
  const std::vector<Bytes> all = fabric.gather_all(mine.take());
  return ByteReader(all.front()).get<Nanoseconds>() - wall_ahead;
}

std::unique_ptr<timeline::Recorder> recorder_for(const Config& config, transport::Fabric& fabric, const Clock& clock) {
  const Nanoseconds origin = common_origin(fabric, clock);
  if (config.timeline.empty()) return timeline::no_recorder();
  const transport::World& world = fabric.world();
  return timeline::open_recorder(
      {config.timeline, world.rank, world.size, world.hosts[static_cast<std::size_t>(world.rank)], origin});
}

/// How many members this process is.
int host_devices(const std::string& text) {
  const DeviceList list = parse_devices(text);
  if (list.kind != "host")
    throw Error(StatusCode::unavailable,
                "devices (TREERING_DEVICES) says " + text + ", but the engine drives host devices only so far");
  return list.count;
}

}  // namespace

transport::FabricOptions fabric_options(const Config& config) {
  transport::FabricOptions options;
  options.node_map = config.node_map;
  options.shared_memory = config.shared_memory;
  options.knocks = config.knocks;
  options.heap_bytes = config.heap_bytes;
  options.devices = host_devices(config.devices);
  options.start_timeout = config.start_timeout;
  ByteWriter settings;
  encode(tunables_of(config), settings);
  options.settings = settings.take();
  options.tailor = [](transport::FabricOptions& settled, const transport::World& world, const Bytes& root_settings) {
    const Tunables tunables = tunables_from(root_settings);
    settled.area_bytes = most_area_bytes(world, tunables);
    settled.neighbours = [fanout = static_cast<int>(tunables.fanout)](const transport::World& of) {
      auto [parent, neighbours] = controller::neighbours_of(of, of.rank, fanout);
      if (parent >= 0) neighbours.push_back(parent);
      return neighbours;
    };
  };
  return options;
}

std::unique_ptr<EngineCore> start_over(const Config& config, std::unique_ptr<transport::Fabric> fabric,
                                       const HostView& host) {
  EngineCore::Parts parts;
  parts.config = config;
  parts.tunables = tunables_from(fabric->root_settings());
  adopt(parts.tunables, parts.config);
  parts.clock = std::make_unique<RealClock>();
  parts.log = std::make_unique<Log>(Log::parse_level(config.log_level), fabric->world().rank);
  parts.plan = share_plan(parts.config, parts.tunables, host, *fabric, *parts.log);
  parts.recorder = recorder_for(config, *fabric, *parts.clock);
  parts.fabric = std::move(fabric);
  if (parts.log->enabled(LogLevel::info)) parts.log->info("configuration\n" + describe(parts.config));
  return std::make_unique<EngineCore>(std::move(parts));
}

}  // namespace treering
