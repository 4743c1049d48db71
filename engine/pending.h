#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "controller/controller.h"
#include "engine/task.h"

namespace treering {

/// A task between enqueue and completion, with what is still to be done for it.
struct PendingTask {
  Task task;
  std::uint64_t bytes_left = 0;  ///< of its tensors, not yet executed; an allgather counts as one byte
  Nanoseconds posted = 0;        ///< handed to the controller
  Nanoseconds agreed = 0;        ///< its first piece came back in a round

  const std::string& name() const { return task.request.tensors.front().name; }
};

/// Engine thread only.
using PendingTable = std::unordered_map<controller::Token, PendingTask>;

}  // namespace treering
