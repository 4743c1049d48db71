#include "transport/shm/hand_over.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "transport/shm/local_socket.h"
#include "transport/shm/process_handle.h"

namespace treering::transport::shm {

namespace {

enum Has : std::uint8_t { has_heap = 1, has_process = 2 };

Status refused(const char* what) { return {StatusCode::unavailable, std::string(what) + ": " + std::strerror(errno)}; }

bool send_member(const UniqueFd& socket, int member, const MemberDescriptors& descriptors) {
  ByteWriter writer;
  std::vector<int> passed{descriptors.eventfd.get()};
  std::uint8_t has = 0;
  if (descriptors.heap.valid()) {
    has |= has_heap;
    passed.push_back(descriptors.heap.get());
  }
  if (descriptors.process.valid()) {
    has |= has_process;
    passed.push_back(descriptors.process.get());
  }
  writer.put_varint(static_cast<std::uint64_t>(member));
  writer.put_varint(has);
  writer.put_varint(static_cast<std::uint64_t>(descriptors.pid));
  return send_parcel(socket, writer.take(), passed);
}

/// The member that the parcel describes, or -1.
int unpack_member(Parcel parcel, std::size_t members, MemberDescriptors& into) {
  ByteReader reader(parcel.bytes);
  const std::uint64_t member = reader.get_varint();
  const std::uint64_t has = reader.get_varint();
  const std::uint64_t pid = reader.get_varint();
  const std::size_t expected = 1u + ((has & has_heap) != 0) + ((has & has_process) != 0);
  if (!reader.ok() || member >= members || parcel.descriptors.size() != expected) return -1;
  std::size_t next = 0;
  into.eventfd = std::move(parcel.descriptors[next++]);
  if ((has & has_heap) != 0) into.heap = std::move(parcel.descriptors[next++]);
  if ((has & has_process) != 0) into.process = std::move(parcel.descriptors[next++]);
  into.pid = static_cast<int>(pid);
  return static_cast<int>(member);
}

Status collect_one(NodeDescriptors& own, std::vector<UniqueFd>& sockets, const UniqueFd& listener,
                   const Deadline& deadline) {
  UniqueFd socket = accept_locally(listener, deadline);
  if (!socket.valid()) return refused("no connection from a rank of this node");
  const pid_t pid = peer_process(socket);
  std::optional<Parcel> parcel = receive_parcel(socket, deadline);
  if (!parcel) return refused("no descriptors from a rank of this node");
  MemberDescriptors arrived;
  const int member = unpack_member(std::move(*parcel), own.members.size(), arrived);
  if (pid < 0 || member <= 0 || sockets[static_cast<std::size_t>(member)].valid())
    return {StatusCode::unavailable, "a stranger connected to the node's socket"};
  arrived.process = open_process(pid);
  arrived.pid = pid;
  own.members[static_cast<std::size_t>(member)] = std::move(arrived);
  sockets[static_cast<std::size_t>(member)] = std::move(socket);
  return {};
}

}  // namespace

Status hand_over_as_leader(NodeDescriptors& own, const UniqueFd& listener, const Deadline& deadline) {
  own.members[0].process = open_process(::getpid());
  own.members[0].pid = ::getpid();
  std::vector<UniqueFd> sockets(own.members.size());
  for (std::size_t count = 1; count < own.members.size(); ++count)
    if (const Status status = collect_one(own, sockets, listener, deadline); !status.ok()) return status;
  for (std::size_t to = 1; to < own.members.size(); ++to) {
    if (!send_parcel(sockets[to], Bytes(1), {own.segment.get()})) return refused("cannot pass the segment on");
    for (std::size_t member = 0; member < own.members.size(); ++member)
      if (!send_member(sockets[to], static_cast<int>(member), own.members[member]))
        return refused("cannot pass descriptors on");
  }
  return {};
}

Status hand_over_as_member(NodeDescriptors& own, int self, const std::string& socket_name, const Deadline& deadline) {
  const UniqueFd socket = connect_locally(socket_name);
  if (!socket.valid()) return refused("cannot connect to the node's leader");
  if (!send_member(socket, self, own.members[static_cast<std::size_t>(self)]))
    return refused("cannot pass descriptors to the node's leader");
  std::optional<Parcel> segment = receive_parcel(socket, deadline);
  if (!segment || segment->descriptors.size() != 1) return refused("no segment from the node's leader");
  own.segment = std::move(segment->descriptors[0]);
  for (std::size_t expected = 0; expected < own.members.size(); ++expected) {
    std::optional<Parcel> parcel = receive_parcel(socket, deadline);
    if (!parcel) return refused("no descriptors from the node's leader");
    MemberDescriptors arrived;
    if (unpack_member(std::move(*parcel), own.members.size(), arrived) != static_cast<int>(expected))
      return {StatusCode::unavailable, "the node's leader passed descriptors that make no sense"};
    own.members[expected] = std::move(arrived);
  }
  return {};
}

}  // namespace treering::transport::shm
