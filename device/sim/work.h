#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "device/copy_segment.h"
#include "device/kernels.h"

namespace treering::device::sim {

/// Where an event was recorded. Whoever waits keeps it, so recording again changes nothing for him.
struct Point {
  bool passed = false;
};

enum class Outcome : std::uint8_t {
  blocked,  ///< it cannot go on now
  moved,    ///< it went on and is not done
  done,
  failed,  ///< the device is broken
};

/// Finds the bytes behind an address of the device that runs, or says why there are none.
using Resolve = std::function<std::byte*(const std::byte* address, std::size_t size, std::string& why)>;

/// Work that this room does not know, say a collective. Runs with the machine locked.
class Task {
 public:
  virtual ~Task() = default;
  /// A collective: from its first step until it is done it takes one of the device's places for such.
  virtual bool resides() const { return false; }
  /// Goes on if it can, a little at a time. Never waits. `why` after `failed`.
  virtual Outcome step(const Resolve& resolve, std::string& why) = 0;
  /// Whether it may still touch these bytes.
  virtual bool touches(const std::byte* address, std::size_t size) const = 0;
};

/// A kernel of the user, on the host's side of the addresses: they can be followed while it runs.
struct UserKernel {
  std::function<void()> run;
};
struct Record {
  std::shared_ptr<Point> point;
};
struct WaitEvent {
  std::shared_ptr<const Point> point;
};
struct WaitValue {
  const std::uint64_t* counter;
  std::uint64_t value;
};
struct WriteValue {
  std::uint64_t* counter;
  std::uint64_t value;
};
struct Reduce {
  Reduction what;
  std::vector<const std::byte*> sources;
  std::vector<std::byte*> destinations;
  std::size_t bytes;
};
struct Cast {
  DataType from;
  DataType to;
  const std::byte* source;
  std::byte* destination;
  std::size_t elements;
  double factor;
};
struct Copy {
  const std::byte* source;
  std::byte* destination;
  std::size_t bytes;
};
struct CopySegments {
  const CopySegment* table;
  std::size_t count;
  std::uint64_t total;
};

using Work = std::variant<Record, WaitEvent, WaitValue, WriteValue, Reduce, Cast, Copy, CopySegments, UserKernel,
                          std::shared_ptr<Task>>;

struct Operation {
  Work work;
  std::uint64_t done = 0;  ///< bytes, elements, of what is run in pieces
  bool broken = false;     ///< by a fault
  bool hung = false;       ///< by a fault
  bool resident = false;   ///< holds a place for collectives
};

/// How much there is to run in pieces, and the unit in which it can be cut; zero for what is not run in pieces.
struct Extent {
  std::uint64_t size = 0;
  std::uint64_t unit = 1;
};
Extent extent_of(const Work& work);
/// Kernels, copies and tasks: what faults count.
bool is_launch(const Work& work);
/// Whether running the rest of it may touch these bytes.
bool touches(const Work& work, const std::byte* address, std::size_t size);
const char* name_of(const Work& work);

/// Runs [begin, end) of a kernel or copy. False and `why` if memory is out of reach.
bool run_piece(const Work& work, std::uint64_t begin, std::uint64_t end, const Resolve& resolve, std::string& why);

}  // namespace treering::device::sim
