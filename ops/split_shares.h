#pragma once

#include "ops/program.h"

namespace treering::ops {

/// A staged program with a stream for each share where the compiler has one for all: for devices, which do things for
/// different shares at the same time. Streams still do all that they did for a share, in the same order; shares have
/// counters and slots of their own.
Program split_shares(const Program& program);

}  // namespace treering::ops
