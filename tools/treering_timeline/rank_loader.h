#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "timeline/clock_map.h"
#include "timeline/spool_reader.h"
#include "tools/treering_timeline/model.h"

namespace treering::tools {

/// What a file says about itself.
struct FileFacts {
  int rank = -1;
  int size = 0;
  std::string job;             ///< equal on all ranks of one engine
  Nanoseconds began = 0;       ///< its latest recording, by its own clock
  Nanoseconds wall_ahead = 0;  ///< Unix time minus its clock
};

/// Makes one rank's part of the model from its blocks. Trusts nothing: what does not fit together is left out.
class RankLoader {
 public:
  explicit RankLoader(Names& names) : names_(names) {}

  void take(const timeline::Block& block);
  /// Moves all times to the clock of rank 0. Call once, after the last block.
  RankTrace finish();

  const FileFacts& facts() const { return facts_; }

 private:
  using Record = timeline::Record;

  void begin_recording(const timeline::Block& block);
  void take_about(const std::string& key, const std::string& value);
  void take(const Record& record);
  void take_operation(const Record& record);
  void take_batch(const Record& record);
  void take_rank(const Record& record);
  void take_users(const Record& record);

  void posted(const Record& record);
  void agreed(const Record& record);
  void done(const Record& record);
  void batch_done(const Record& record);
  void member(const Record& record);
  void stage(const Record& record);
  void link(const Record& record);

  TensorLife* life_of(std::uint64_t operation);
  /// Index of a batch, `no_batch` if it is not known.
  std::uint32_t batch_at(std::uint64_t sequence) const;
  std::uint32_t name_of(std::uint32_t id) const;
  std::uint32_t thread_of(std::uint64_t id) const;

  Names& names_;
  FileFacts facts_;
  RankTrace trace_;
  std::vector<timeline::ClockPoint> points_;
  std::uint32_t recording_ = 0;
  Nanoseconds last_ = unknown;     ///< time of the latest record
  Nanoseconds stopped_ = unknown;  ///< end of the recording before
  std::unordered_map<std::uint32_t, std::uint32_t> name_ids_;
  std::unordered_map<std::uint32_t, std::uint32_t> thread_ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> pending_;               ///< operation, index of its life
  std::unordered_map<std::uint64_t, std::uint32_t> agreed_items_;          ///< round and item, index of a life
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> members_;  ///< running batch, its lives
  std::unordered_map<std::uint64_t, std::uint32_t> reasons_;               ///< round, text
  std::unordered_map<std::uint64_t, std::uint32_t> scopes_;                ///< scope, index of its mark
};

}  // namespace treering::tools
