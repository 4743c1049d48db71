#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "transport/deadline.h"
#include "treering/status.h"

namespace treering::transport::shm {

/// What one member of a node brings, as descriptors of the process that looks.
struct MemberDescriptors {
  UniqueFd eventfd;
  UniqueFd heap;     ///< memory file; invalid: the member has none
  UniqueFd process;  ///< handle; invalid where the kernel refuses
  int pid = 0;       ///< as the leader sees it; for messages
};

struct NodeDescriptors {
  UniqueFd segment;
  std::vector<MemberDescriptors> members;  ///< by local rank
};

/// Passes descriptors around in a node: members send theirs to the leader (local rank 0), who hands everybody's to
/// everybody. `own.members` has this rank's entry filled in, the leader's `own` the segment too.
Status hand_over_as_leader(NodeDescriptors& own, const UniqueFd& listener, const Deadline& deadline);
Status hand_over_as_member(NodeDescriptors& own, int self, const std::string& socket_name, const Deadline& deadline);

}  // namespace treering::transport::shm
