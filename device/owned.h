#pragma once

#include <cstddef>
#include <utility>

#include "device/device.h"

namespace treering::device {

/// Owns something that a device gave; the device outlives it. What giving back reports is dropped: whoever wants to
/// know asks Device::error.
template <class Handle, Status (Device::*give_back)(Handle)>
class Owned {
 public:
  Owned() = default;
  Owned(Device& device, Handle handle) : device_(&device), handle_(handle) {}
  Owned(Owned&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (device_ != nullptr) static_cast<void>((device_->*give_back)(handle_));
  }

  Handle get() const { return handle_; }
  bool empty() const { return device_ == nullptr; }
  /// Forgets it without giving it back: somebody may still use it.
  Handle leak() {
    device_ = nullptr;
    return std::exchange(handle_, Handle{});
  }

 private:
  Device* device_ = nullptr;
  Handle handle_{};
};

using OwnedMemory = Owned<std::byte*, &Device::free>;
using OwnedPinned = Owned<std::byte*, &Device::free_pinned>;
using OwnedImport = Owned<std::byte*, &Device::close_memory>;
using OwnedStream = Owned<Stream, &Device::destroy_stream>;
using OwnedEvent = Owned<Event, &Device::destroy_event>;

/// Marks a scope as the dispatch path.
class DispatchSection {
 public:
  explicit DispatchSection(Device& device) : device_(device) { device_.enter_dispatch(); }
  ~DispatchSection() { device_.leave_dispatch(); }
  DispatchSection(const DispatchSection&) = delete;
  DispatchSection& operator=(const DispatchSection&) = delete;

 private:
  Device& device_;
};

}  // namespace treering::device
