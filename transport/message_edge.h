#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"

namespace treering::transport {

/// Ordered, lossless control messages to and from one neighbour in the tree of vertices. Never blocks; messages of any
/// size are cut into frames and put together again. Engine thread only.
class MessageEdge {
 public:
  virtual ~MessageEdge() = default;

  virtual int peer() const = 0;  ///< rank at the other end

  /// True when the previous message has left entirely; `send` may be called only then.
  virtual bool writable() const = 0;
  virtual void send(Bytes message) = 0;

  /// The next complete message, if there is one.
  virtual std::optional<Bytes> receive() = 0;

  /// Moves frames. True if anything moved.
  virtual bool progress() = 0;
};

}  // namespace treering::transport
