#include "transport/fork/hub.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "transport/framing.h"
#include "transport/sleep.h"
#include "treering/status.h"

namespace treering::transport::fork {

namespace {

/// One end of a stream between two ranks of the job.
class Stream {
 public:
  Stream(int socket, int peer, const Deadline& deadline) : socket_(socket), peer_(peer), deadline_(deadline) {}

  void send(const Bytes& message) const {
    ByteWriter header;
    header.put(static_cast<std::uint64_t>(message.size()));
    push(header.take());
    push(message);
  }

  Bytes receive() const {
    const Bytes header = pull(sizeof(std::uint64_t));
    const auto bytes = ByteReader(header).get<std::uint64_t>();
    if (bytes > max_message_bytes) fail("sent something that makes no sense");
    return pull(bytes);
  }

 private:
  void push(const Bytes& bytes) const {
    for (std::size_t done = 0; done < bytes.size();) {
      wait_for(POLLOUT);
      const ssize_t sent = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EINTR && errno != EAGAIN) fail(std::strerror(errno));
      if (sent > 0) done += static_cast<std::size_t>(sent);
    }
  }

  Bytes pull(std::size_t count) const {
    Bytes bytes(count);
    for (std::size_t done = 0; done < count;) {
      wait_for(POLLIN);
      const ssize_t got = ::recv(socket_, bytes.data() + done, count - done, MSG_DONTWAIT);
      if (got == 0) fail("its process has ended");
      if (got < 0 && errno != EINTR && errno != EAGAIN) fail(std::strerror(errno));
      if (got > 0) done += static_cast<std::size_t>(got);
    }
    return bytes;
  }

  void wait_for(short event) const {
    pollfd entry{socket_, event, 0};
    if (!poll_for({&entry, 1}, deadline_.left())) fail("nothing came before the deadline");
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(StatusCode::unavailable, "the engines cannot start: rank " + std::to_string(peer_) + ": " + why);
  }

  int socket_;
  int peer_;
  const Deadline& deadline_;
};

Bytes join(const std::vector<Bytes>& parts) {
  ByteWriter writer;
  for (const Bytes& part : parts) {
    writer.put_varint(part.size());
    writer.put_bytes(part);
  }
  return writer.take();
}

std::vector<Bytes> split(const Bytes& joined, int size) {
  std::vector<Bytes> parts;
  ByteReader reader(joined);
  for (int rank = 0; rank < size; ++rank) {
    Bytes& part = parts.emplace_back(reader.get_count());
    for (std::byte& byte : part) byte = reader.get<std::byte>();
  }
  if (!reader.ok() || !reader.at_end()) throw Error(StatusCode::internal, "rank 0 sent something that makes no sense");
  return parts;
}

}  // namespace

std::vector<Bytes> gather_over(const Seat& seat, const Bytes& mine, const Deadline& deadline) {
  if (seat.rank > 0) {
    const Stream hub(seat.sockets[0], 0, deadline);
    hub.send(mine);
    return split(hub.receive(), seat.size);
  }
  std::vector<Stream> streams;
  for (int rank = 1; rank < seat.size; ++rank)
    streams.emplace_back(seat.sockets[static_cast<std::size_t>(rank) - 1], rank, deadline);
  std::vector<Bytes> all{mine};
  for (const Stream& stream : streams) all.push_back(stream.receive());
  const Bytes joined = join(all);
  for (const Stream& stream : streams) stream.send(joined);
  return all;
}

}  // namespace treering::transport::fork
