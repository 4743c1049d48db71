#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "transport/deadline.h"
#include "transport/descriptor.h"

namespace treering::transport::shm {

/// A message between processes of one machine, with descriptors that arrive as the receiver's own.
struct Parcel {
  Bytes bytes;
  std::vector<Descriptor> descriptors;
};

/// Sockets of the abstract namespace: no file, gone with their owner. All of them return invalid or nothing, with
/// errno, when the system refuses or the deadline passes.
Descriptor listen_locally(const std::string& name, int backlog);
Descriptor connect_locally(const std::string& name);
Descriptor accept_locally(const Descriptor& listener, const Deadline& deadline);

bool send_parcel(const Descriptor& socket, const Bytes& bytes, const std::vector<int>& descriptors);
std::optional<Parcel> receive_parcel(const Descriptor& socket, const Deadline& deadline);

/// The process at the other end as the kernel knows it; -1 if it belongs to another user.
pid_t peer_process(const Descriptor& socket);

}  // namespace treering::transport::shm
