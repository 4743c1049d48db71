#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "device/device.h"
#include "tests/device/conformance/backend.h"
#include "tests/device/conformance/omitting.h"

namespace treering::device::conformance {

using Values = std::vector<std::byte>;

/// The devices of one run of one case, and everything that the case makes on them. What goes wrong is kept in words,
/// not asserted, because some runs must go wrong.
class Bench {
 public:
  Bench(const Backend& backend, int processes, int devices, std::uint64_t seed, int omitted);
  ~Bench();

  /// Device of a process; may forget a call.
  Device& device(int index, int process = 0);
  const Backend& backend() const { return backend_; }

  std::byte* memory(Device& device, std::size_t bytes);
  std::byte* pinned(Device& device, std::size_t bytes);
  std::uint64_t* counters(Device& device, std::size_t count);
  Stream stream(Device& device);
  Event event(Device& device);
  /// `memory` of `owner`, as `reader` of another process sees it.
  std::byte* shared(Device& owner, const std::byte* memory, Device& reader);

  /// Random bytes.
  Values draw(std::size_t bytes);
  void upload(Device& device, const Values& values, std::byte* memory);
  Values download(Device& device, const std::byte* memory, std::size_t bytes);

  /// Keeps the first thing that is wrong.
  void expect(bool right, const std::string& what);
  void ok(const Status& status) { expect(status.ok(), status.message()); }
  /// Until every stream is idle, or wrong that one never will be.
  void settle();
  /// Until the event has happened, or wrong that it never will.
  void await(Device& device, Event event);
  /// Asks and moves a little, for what must not happen.
  void stir();

  /// Gives everything back; then it is wrong if anything was done against the rules.
  void end();

  const std::string& wrong() const { return wrong_; }
  int ordering_calls() const { return omission_.seen; }

 private:
  struct Owned {
    Device* device;
    std::byte* memory;
    Status (Device::*back)(std::byte*);
  };

  void give_back();
  bool until(const std::function<bool()>& done);
  std::byte* keep(Device& device, std::byte* memory, Status (Device::*back)(std::byte*));

  const Backend& backend_;
  std::vector<Devices> processes_;
  std::vector<std::vector<std::unique_ptr<OmittingDevice>>> wrapped_;
  Omission omission_;
  std::mt19937_64 random_;
  std::string wrong_;
  std::vector<Owned> memory_;
  std::vector<std::pair<Device*, Stream>> streams_;
  std::vector<std::pair<Device*, Event>> events_;
};

}  // namespace treering::device::conformance
