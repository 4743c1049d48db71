#pragma once

#include "base/bytes.h"
#include "base/tunables.h"

namespace treering {

void encode(const Tunables& tunables, ByteWriter& writer);

/// The reader fails if the message is cut, of another version, or holds values that `problem_of` objects to.
Tunables decode_tunables(ByteReader& reader);

}  // namespace treering
