#pragma once

#include <string>

#include "controller/messages.h"

namespace treering::controller {

/// For people: what two sets of ranks asked for differently under a name that both occupy: the first field that
/// differs (operation, type, shape, op, root, scales, priority, make-up of the bundle), who asked for what, and what to
/// do.
std::string mismatch_text(const RankedPost& left, const RankedPost& right);

/// For people: why a name fails on ranks that may all have agreed about it.
std::string broken_text(const RankedPost& broken);

/// "allreduce f32 [3, 4] sum", short, for lists.
std::string signature_text(const Request& request);

}  // namespace treering::controller
