#pragma once

#include <poll.h>

#include <optional>
#include <span>

#include "base/clock.h"

namespace treering::transport {

/// Waits until a descriptor is ready or `limit` has passed (none = no limit); a signal does not end the wait early.
/// Fills in `revents`; true if any descriptor is ready.
bool poll_for(std::span<pollfd> descriptors, std::optional<Nanoseconds> limit);

}  // namespace treering::transport
