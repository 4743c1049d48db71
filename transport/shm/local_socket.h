#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/unique_fd.h"
#include "transport/deadline.h"

namespace treering::transport::shm {

/// A message between processes of one machine, with descriptors that arrive as the receiver's own.
struct Parcel {
  Bytes bytes;
  std::vector<UniqueFd> descriptors;
};

/// Sockets of the abstract namespace: no file, gone with their owner. All of them return invalid or nothing, with
/// errno, when the system refuses or the deadline passes.
UniqueFd listen_locally(const std::string& name, int backlog);
UniqueFd connect_locally(const std::string& name);
UniqueFd accept_locally(const UniqueFd& listener, const Deadline& deadline);

bool send_parcel(const UniqueFd& socket, const Bytes& bytes, const std::vector<int>& descriptors);
std::optional<Parcel> receive_parcel(const UniqueFd& socket, const Deadline& deadline);

/// The process at the other end as the kernel knows it; -1 if it belongs to another user.
pid_t peer_process(const UniqueFd& socket);

}  // namespace treering::transport::shm
