#pragma once

#include <cstring>
#include <span>

#include "device/owned.h"
#include "tests/gpu/backend.h"

namespace treering::test {

/// Memory of a device for one test after the other, pinned memory beside it, and a stream.
class Scratch {
 public:
  Scratch(device::Device& device, std::size_t bytes) : Scratch(device, bytes, bytes) {}
  Scratch(device::Device& device, std::size_t bytes, std::size_t pinned_bytes) : device_(device), bytes_(bytes) {
    std::byte* memory = nullptr;
    must(device, device.allocate(bytes, memory));
    memory_ = device::OwnedMemory(device, memory);
    must(device, device.allocate_pinned(pinned_bytes, memory));
    pinned_ = device::OwnedPinned(device, memory);
    device::Stream stream;
    must(device, device.create_stream(stream));
    stream_ = device::OwnedStream(device, stream);
  }

  std::byte* memory() const { return memory_.get(); }
  std::byte* pinned() const { return pinned_.get(); }
  std::size_t bytes() const { return bytes_; }
  device::Stream stream() const { return stream_.get(); }

  /// The first bytes of the pinned memory, to the device and back; waits.
  void up(std::size_t bytes) const { move(pinned(), memory(), bytes); }
  void down(std::size_t bytes) const { move(memory(), pinned(), bytes); }

 private:
  void move(const std::byte* from, std::byte* to, std::size_t bytes) const {
    must(device_, device_.copy(stream(), from, to, bytes));
    must(device_, device_.synchronize(stream()));
  }

  device::Device& device_;
  std::size_t bytes_;
  device::OwnedMemory memory_;
  device::OwnedPinned pinned_;
  device::OwnedStream stream_;
};

}  // namespace treering::test
