#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace treering {

/// Everything that can be tuned. Fields marked [root] must match on all ranks; rank 0's values win and are sent to the
/// others at start. Each field names the environment variable that `from_environment` reads; docs/tuning.md explains
/// when to turn which knob.
struct Config {
  // -- agreeing and fusing
  std::size_t pack_limit = 128 * 1024;    ///< [root] TREERING_PACK_LIMIT: tensors up to this many bytes share a batch
  std::size_t batch_limit = 1024 * 1024;  ///< [root] TREERING_BATCH_LIMIT: bytes of small tensors in one batch
  std::size_t piece_limit = 8 * 1024 * 1024;  ///< [root] TREERING_PIECE_LIMIT: longer tensors are agreed in pieces
  std::size_t window =
      32 * 1024 * 1024;        ///< [root] TREERING_WINDOW: bytes under way before the root cuts the next round
  int fanout = 8;              ///< [root] TREERING_FANOUT: children of a leader in the tree of leaders
  bool deterministic = false;  ///< [root] TREERING_DETERMINISTIC: results independent of batching

  // -- moving data
  std::size_t chunk_bytes = 256 * 1024;  ///< [root] TREERING_CHUNK: unit of the pipeline
  std::size_t slot_bytes = 1024 * 1024;  ///< [root] TREERING_SLOT: staging memory per lane and rank
  int lanes = 4;                         ///< [root] TREERING_LANES: programs that may run at once
  std::size_t one_shot_limit =
      8 * 1024;  ///< [root] TREERING_ONE_SHOT_LIMIT: batches this small take one step in a node
  std::size_t heap_bytes = std::size_t{64} << 30;  ///< TREERING_HEAP: address space for `allocate`, filled on demand

  // -- devices
  std::string devices =
      "host:1";  ///< TREERING_DEVICES: what this process drives, each a member of the job: host:2, sim:8, cuda:0,2

  // -- plans
  std::string topology;  ///< TREERING_TOPOLOGY: file that says how the devices of this rank's node are connected
  std::string builder = "auto";  ///< [root] TREERING_BUILDER: who plans trees from it; auto = the fastest by prediction

  // -- waiting and ending
  std::chrono::microseconds spin{50};                  ///< TREERING_SPIN_US: how long a waiter yields before it sleeps
  std::chrono::milliseconds stall_warning{10'000};     ///< [root] TREERING_STALL_WARNING_MS: 0 = never
  std::chrono::milliseconds stall_abort{0};            ///< [root] TREERING_STALL_ABORT_MS: 0 = never
  std::chrono::milliseconds start_timeout{60'000};     ///< TREERING_START_TIMEOUT_MS: 0 = wait for ever
  std::chrono::milliseconds shutdown_timeout{30'000};  ///< TREERING_SHUTDOWN_TIMEOUT_MS: 0 = wait for ever
  std::chrono::milliseconds failure_timeout{5'000};    ///< TREERING_FAILURE_TIMEOUT_MS: then stopped peers are killed
  std::chrono::milliseconds exit_timeout{60'000};      ///< TREERING_EXIT_TIMEOUT_MS: then a failed process ends itself

  // -- the job
  std::vector<int> node_map;  ///< TREERING_NODE_MAP: node of each rank, e.g. "0,0,1,1"; empty = ask MPI
  bool shared_memory = true;  ///< TREERING_SHARED_MEMORY: false makes every rank its own node
  bool knocks = true;         ///< TREERING_KNOCKS: wake leaders by TCP; false = poll every 10 ms

  // -- watching
  std::string timeline;            ///< TREERING_TIMELINE: directory for one trace per rank; empty = off
  bool timeline_paused = false;    ///< TREERING_TIMELINE_PAUSED: record only from Engine::timeline_start or SIGUSR2 on
  bool timeline_signal = false;    ///< TREERING_TIMELINE_SIGNAL: SIGUSR2 switches recording on and off
  std::size_t timeline_limit = 0;  ///< TREERING_TIMELINE_LIMIT: bytes on disk per rank; 0 = no limit
  std::string timeline_window;     ///< TREERING_TIMELINE_WINDOW: keep only steps "100-120" or seconds "10s-25s"
  std::string log_level = "warning";  ///< TREERING_LOG: trace, debug, info, warning, error, off
  std::string cause_file;             ///< TREERING_CAUSE_FILE: the first cause of a failure is appended here

  /// Defaults overridden by the TREERING_* variables. Throws Error naming the variable, the value and what is accepted.
  static Config from_environment();
};

}  // namespace treering
