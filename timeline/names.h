#pragma once

#include <cstdint>
#include <iterator>

#include "base/request.h"
#include "base/round.h"
#include "timeline/spool_format.h"

namespace treering::timeline {

/// Words for numbers that a file may hold; never out of bounds.
constexpr const char* name_of(Phase phase) {
  constexpr const char* names[] = {"queued", "running", "packed", "tree", "ring", "broadcast", "unpacked"};
  static_assert(std::size(names) == static_cast<std::size_t>(Phase::unpacked) + 1);
  const auto index = static_cast<std::size_t>(phase);
  return index < std::size(names) ? names[index] : "unknown phase";
}

constexpr const char* operation_name(std::uint64_t kind) {
  return kind < operation_kind_count ? treering::name_of(static_cast<OperationKind>(kind)) : "unknown operation";
}

constexpr const char* reason_name(std::uint64_t reason) {
  return reason < 3 ? treering::name_of(static_cast<CutReason>(reason)) : "unknown reason";
}

constexpr const char* name_of(LinkUse use) {
  constexpr const char* names[] = {"sent", "received", "read in the node", "written in the node"};
  const auto index = static_cast<std::size_t>(use);
  return index < std::size(names) ? names[index] : "unknown use";
}

}  // namespace treering::timeline
