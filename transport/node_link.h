#pragma once

#include <cstddef>

namespace treering::transport {

/// What the ranks of one node share, seen by one of them. Indices are local ranks. Everything here was set up at start;
/// nothing blocks, allocates or maps.
class NodeLink {
 public:
  virtual ~NodeLink() = default;

  virtual int self() const = 0;
  virtual int size() const = 0;

  /// The part of the shared segment that belongs to `member`: FabricOptions::area_bytes, zeroed at start, 4096-aligned.
  virtual std::byte* area(int member) const = 0;

  /// Rings the bell of `member`'s engine thread.
  virtual void ring(int member) const = 0;

  /// `member`'s mappable memory as this process sees it, or nullptr where it could not be had.
  virtual std::byte* heap(int member) const = 0;
  /// Address space of every heap; pages appear when touched.
  virtual std::size_t heap_bytes() const = 0;
};

}  // namespace treering::transport
