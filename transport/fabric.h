#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "transport/bell.h"
#include "transport/message_edge.h"
#include "transport/node_link.h"
#include "transport/wire.h"
#include "transport/world.h"
#include "treering/status.h"

namespace treering::transport {

/// For tests: ranks whose system pretends to refuse something.
struct Refusals {
  std::vector<int> segments;  ///< shared memory as a whole
  std::vector<int> heaps;     ///< their mappable memory only
  std::vector<int> sockets;   ///< TCP, for knocks
};

struct FabricOptions {
  std::vector<int> node_map;   ///< node of each rank; empty = ask the system
  bool shared_memory = true;   ///< false: every rank is its own node
  bool knocks = true;          ///< false: sleeping leaders poll instead of being woken by TCP
  std::size_t heap_bytes = 0;  ///< address space of each rank's mappable memory; 0 = none
  int devices = 1;             ///< that this rank drives; all ranks learn all numbers: World::devices
  std::size_t area_bytes = 0;  ///< each rank's part of the node's shared segment, for lanes
  std::chrono::milliseconds start_timeout{60'000};
  Refusals refuse;
  /// Neighbours of this rank in the tree of control vertices. Symmetric: if a lists b, b lists a.
  std::function<std::vector<int>(const World&)> neighbours;
  /// What this rank would like to be settled; rank 0's becomes `Fabric::root_settings` on all ranks.
  Bytes settings;
  /// Called at start, when the world and rank 0's settings are known: may change `area_bytes` and `neighbours`, on
  /// every rank in the same way. Called again, with fresh options, if the world changes because shared memory is
  /// refused; the last call counts.
  std::function<void(FabricOptions&, const World&, const Bytes& root_settings)> tailor;
};

/// Everything that connects one engine to its peers, made complete at start. One thread at a time, except `ring_self`
/// and `look_soon` (any thread) and the start-time functions (the thread that starts the engine, before there is an
/// engine thread).
class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual const World& world() const = 0;
  virtual NodeLink& node() = 0;
  virtual Wire& wire() = 0;
  /// The edge to one of the neighbours named at start.
  virtual MessageEdge& edge(int peer) = 0;

  /// FabricOptions::settings of rank 0.
  virtual const Bytes& root_settings() const = 0;
  /// Keeps this rank's own heap mapped for as long as a copy lives, also after the fabric is gone.
  virtual std::shared_ptr<void> heap_owner() const = 0;

  // -- start: collective, may block until the deadline, throws Error
  /// Every rank's contribution, by rank.
  virtual std::vector<Bytes> gather_all(const Bytes& mine) = 0;

  // -- waiting
  /// Moves everything that moves by itself: MPI requests, frames, knocks, failure words. True if anything happened.
  virtual bool progress() = 0;
  virtual void ring_self() = 0;
  virtual const Bell& bell() const = 0;
  /// How long the engine may sleep as far as the fabric knows: zero while it must be polled, none = until the bell.
  virtual std::optional<Nanoseconds> longest_sleep() const = 0;
  /// What ends the one sleep: the bell first, then process handles and knock sockets. Replaces `entries`.
  virtual void list_awaited(std::vector<pollfd>& entries) const = 0;
  /// Any thread: something other than the bell has ended a sleep; the next `progress` finds out what.
  virtual void look_soon() {}
  /// The caller's thread begins to step after some other thing, or another thread, has had the time.
  virtual void begin_turns() {}
  /// Sleeps until the bell rings, something else happens, or `limit` has passed (none = no limit). The caller has
  /// declared itself asleep and declares itself awake afterwards.
  void sleep(std::optional<Nanoseconds> limit);

  // -- failure: flooded, first cause kept, no MPI call afterwards
  /// Tells the node and all living neighbours that the engine is dead, and why. Idempotent: the first cause stays.
  virtual void poison(const Status& cause) = 0;
  /// The first cause that this rank has learnt (its own, a neighbour's word, a dead process), or ok.
  virtual Status poisoned() const = 0;
  /// Says to the node's ranks that this rank touches no memory but its own from now on.
  virtual void declare_stopped() = 0;
  /// True when every other rank of the node has said so or is proven dead.
  virtual bool node_stopped() const = 0;
  /// Kills the node's ranks that are neither stopped nor dead (say, a process under SIGSTOP). Returns their ranks.
  virtual std::vector<int> kill_unstopped() = 0;

  // -- end
  /// After an agreed shutdown: says goodbye, so that closing connections is not taken for a death.
  virtual void say_goodbye() = 0;
  /// What to do when the user ends the communication system (MPI_Finalize) while this fabric stands; called on that
  /// thread, must end with the agreed shutdown. Fabrics without such a system ignore it.
  virtual void on_finalize(std::function<void()> /*shut_down*/) {}
};

}  // namespace treering::transport
