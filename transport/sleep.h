#pragma once

#include <poll.h>

#include <optional>
#include <span>

#include "base/clock.h"

namespace treering::transport {

/// Waits until a descriptor is ready or `limit` has passed (none = no limit); a signal does not end the wait early.
/// Fills in `revents`; true if any descriptor is ready.
bool poll_for(std::span<pollfd> descriptors, std::optional<Nanoseconds> limit);

/// Makes short waits of the calling thread end when they should, instead of up to 50 us later.
void make_waits_precise();

}  // namespace treering::transport
