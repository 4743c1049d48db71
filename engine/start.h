#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/core.h"
#include "engine/rank_view.h"
#include "transport/fabric.h"
#include "treering/config.h"

namespace treering {

/// What a fabric must bring for an engine with this configuration.
transport::FabricOptions fabric_options(const Config& config);

/// For tests: a clock that is not the system's, and which ranks share it (those of equal identity).
struct EngineClock {
  std::unique_ptr<Clock> clock;
  std::string identity;
};

/// Builds the engine of one rank over a fabric: agrees on rank 0's configuration, plans for what the ranks see, opens
/// the trace, starts the engine thread. Collective over the fabric's ranks.
std::unique_ptr<EngineCore> start_over(const Config& config, std::unique_ptr<transport::Fabric> fabric,
                                       const HostView& host = {}, EngineClock clock = {});

}  // namespace treering
