#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace treering::timeline {

/// A spool is a file of blocks, each with its own length and checksum, so that what stands before a torn or damaged one
/// can be read, and what stands behind it too. A block explains itself: it holds every name that its records use.
///
/// One recording of one rank begins with a block whose records say what it is about (kind `about`). Recordings of one
/// engine follow each other in one file. All integers are little-endian, all times nanoseconds.
struct BlockHeader {
  std::uint32_t magic = block_magic;
  std::uint16_t version = format_version;
  std::uint16_t flags = 0;
  std::uint32_t length = 0;  ///< of the records that follow
  std::uint32_t records = 0;
  std::uint32_t recording = 0;     ///< number of the recording within the file, from 1
  std::uint32_t header_check = 0;  ///< of the other fields but the last: spares checking the rest of what is no header
  Nanoseconds base = 0;            ///< this rank's clock; the first record's time counts from here
  std::uint64_t checksum = 0;      ///< of the records

  static constexpr std::uint32_t block_magic = 0x42535254;  // "TRSB"
  static constexpr std::uint16_t format_version = 1;
};
static_assert(sizeof(BlockHeader) == 40);

inline constexpr std::uint16_t begins_recording = 1;  ///< flag of the block that holds the `about` records
inline constexpr std::size_t longest_block = std::size_t{4} << 20;
inline constexpr std::size_t most_values = 6;

/// What a record says. In the file: one byte of kind, a varint for the length of the rest, the rest. A reader skips
/// kinds that it does not know, takes missing values for zero and ignores further ones.
///
/// Texts: `about` is two strings, key and value; `name` and `thread` are a varint id and a string. A string is a varint
/// length and bytes, not always UTF-8. All others: time as a signed varint from the time of the record before (from the
/// header's base at first), the name's id if the kind has one, then the values below in this order, as varints.
///
/// An operation is numbered by its rank from 1 as long as the engine lives, so its number means nothing elsewhere. The
/// pair (round, item) is the same operation on every rank, and `batch` the same batch.
enum class Kind : std::uint8_t {
  about = 1,
  name = 2,    ///< id 0 is no name and never defined
  thread = 3,  ///< what to call a recording thread; 0 is the engine thread

  // One operation (name: its first tensor).
  posted = 10,  ///< ready here. operation, OperationKind, bytes, since it was enqueued, tensors
  agreed = 11,  ///< ready everywhere. operation, round, item of its first piece, since posted
  done = 12,    ///< operation, StatusCode (0: ok), since it was enqueued (0: not known), since agreed, message (a name)
  callback = 13,  ///< begin of a user's callback. operation, duration, thread

  // Rounds and batches.
  round = 20,  ///< delivered. sequence, items, bytes, CutReason
  batch = 21,  ///< handed to the executor (name: why this plan). batch, round, bytes, segments, OperationKind, DataType
  member = 22,      ///< a tensor of a batch (name), once per segment. batch, round, item, offset in the tensor, bytes
  batch_done = 23,  ///< batch, path (a name), lane, since handed over, since started, bytes
  stage = 24,       ///< begin. batch, Phase, duration, device (0: times of the host)
  link = 25,        ///< time of the batch's end. batch, LinkUse, peer's rank, bytes, messages

  // The rank.
  loop = 30,    ///< begin. duration, working, spinning, asleep, turns. They tile the recording
  asleep = 31,  ///< begin. duration
  sample = 32,  ///< bytes held for slots and boards, operations pending, batches waiting for the executor, batches
                ///< handed over and not done

  // The user's.
  mark = 40,         ///< thread
  scope_begin = 41,  ///< thread, scope
  scope_end = 42,    ///< thread, scope

  // The recording's own.
  dropped = 50,  ///< events that did not fit since the last of this kind
  clock = 51,    ///< offset (signed), error bound, drift in parts per billion (signed), round trip. See ClockMap
  stopped = 52,  ///< StopCause; what has none was cut off
};

/// Parts of a batch.
enum class Phase : std::uint8_t {
  queued,     ///< waiting for a lane
  running,    ///< from its start to its end
  packed,     ///< copy into slots
  tree,       ///< reduction inside the node
  ring,       ///< between nodes
  broadcast,  ///< back down inside the node
  unpacked,
};

/// Bytes of one batch between this rank and a peer.
enum class LinkUse : std::uint8_t { sent, received, read_in_node, written_in_node };

enum class StopCause : std::uint8_t { asked, engine_ended, limit, process_exit };

/// One record in memory, of every kind but the texts.
struct Record {
  Kind kind = Kind::mark;
  std::uint32_t name = 0;
  Nanoseconds time = 0;  ///< by the clock of the rank
  std::array<std::uint64_t, most_values> values{};

  std::int64_t signed_value(std::size_t index) const { return static_cast<std::int64_t>(values[index]); }
};

/// How a kind lies in the file; `values` is zero for kinds that are texts or unknown.
struct Layout {
  std::uint8_t values = 0;
  bool named = false;
  std::uint8_t signed_values = 0;  ///< bit i: value i may be negative
  std::uint8_t name_values = 0;    ///< bit i: value i is a name's id
};

constexpr Layout layout_of(Kind kind) {
  switch (kind) {
    case Kind::posted: return {5, true};
    case Kind::agreed: return {4, true};
    case Kind::done: return {5, true, 0, 1 << 4};
    case Kind::callback: return {3, true};
    case Kind::round: return {4};
    case Kind::batch: return {6, true};
    case Kind::member: return {5, true};
    case Kind::batch_done: return {6, false, 0, 1 << 1};
    case Kind::stage: return {4};
    case Kind::link: return {5};
    case Kind::loop: return {5};
    case Kind::asleep: return {1};
    case Kind::sample: return {4};
    case Kind::mark: return {1, true};
    case Kind::scope_begin:
    case Kind::scope_end: return {2, true};
    case Kind::dropped: return {1};
    case Kind::clock: return {4, false, 1 | 1 << 2};
    case Kind::stopped: return {1};
    default: return {};
  }
}

}  // namespace treering::timeline
