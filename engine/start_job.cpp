// The only file that knows which communication systems there are.

#include "base/environment.h"
#include "engine/detect_host.h"
#include "engine/start.h"
#include "transport/fork/start.h"
#include "transport/mpi/start.h"
#include "treering/engine.h"

namespace treering {
namespace {

/// Over what the launcher left to this process, else over MPI.
std::unique_ptr<transport::Fabric> join_job(const Config& config, const void* communicator, const Log& log) {
  const std::string text = inherited_seat();
  if (text.empty() || communicator != nullptr) return transport::mpi::start(fabric_options(config), communicator, log);
  const std::optional<transport::fork::Seat> seat = transport::fork::parse_seat(text);
  if (!seat)
    throw Error(StatusCode::invalid_argument, std::string(seat_variable) + "=" + text + " is no place in a job");
  return transport::fork::start(fabric_options(config), *seat, log);
}

}  // namespace

std::unique_ptr<Engine> Engine::start(const Config& config, const void* communicator) {
  const Log log(Log::parse_level(config.log_level), -1);
  auto fabric = join_job(config, communicator, log);
  const transport::World& world = fabric->world();
  const bool alone = world.ranks_of(world.node()).size() == 1 && world.devices_of(world.rank) == 1;  // nothing to plan
  const HostView host = alone ? HostView() : detect_host();
  auto engine = std::make_unique<Engine>(start_over(config, std::move(fabric), host));
  if (engine->rank() == 0)
    for (const std::string& unknown : unknown_variables()) log.warning(unknown);
  return engine;
}

}  // namespace treering
