#include "engine/start.h"

#include <fmt/format.h>

#include "base/config_check.h"
#include "base/config_fields.h"
#include "base/device_list.h"
#include "base/serialize.h"
#include "controller/controller.h"
#include "engine/choose_plan.h"
#include "engine/share_plan.h"
#include "engine/start_timeline.h"
#include "timeline/clock_identity.h"

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
                                       const HostView& host, EngineClock clock) {
  EngineCore::Parts parts;
  parts.config = config;
  parts.tunables = tunables_from(fabric->root_settings());
  adopt(parts.tunables, parts.config);
  parts.clock = clock.clock ? std::move(clock.clock) : std::make_unique<RealClock>();
  parts.log = std::make_unique<Log>(Log::parse_level(config.log_level), fabric->world().rank);
  parts.plan = share_plan(parts.config, parts.tunables, host, *fabric, *parts.log);
  const std::string identity = clock.identity.empty() ? timeline::clock_identity() : clock.identity;
  auto [timeline, place] = start_timeline(parts.config, parts.plan.why, identity, *fabric, *parts.clock, *parts.log);
  parts.timeline = std::move(timeline);
  parts.clock_place = place;
  parts.fabric = std::move(fabric);
  if (parts.log->enabled(LogLevel::info)) parts.log->info("configuration\n" + describe(parts.config));
  return std::make_unique<EngineCore>(std::move(parts));
}

}  // namespace treering
