#include "transport/fabric.h"

#include <algorithm>

#include "transport/sleep.h"

namespace treering::transport {

void Fabric::sleep(std::optional<Nanoseconds> limit) {
  std::vector<pollfd> entries;
  list_awaited(entries);
  if (poll_for(entries, limit) &&
      std::any_of(entries.begin() + 1, entries.end(), [](const pollfd& entry) { return entry.revents != 0; }))
    look_soon();
  begin_turns();
}

}  // namespace treering::transport
