#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "timeline/spool_reader.h"

namespace treering::timeline {

/// A directory of its own for one test, removed at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read_file(const std::string& path);

/// Parsed strictly; a syntax error fails the test.
nlohmann::json parse_trace(const std::string& text);

struct SpoolDamage {
  std::size_t skipped = 0;
  std::size_t torn_at_end = 0;
};

/// The whole blocks of a spool.
std::vector<Block> blocks_of(const std::string& text, SpoolDamage* damage = nullptr);

/// All records of these kinds; of every kind if none is named.
std::vector<Record> records_of(const std::vector<Block>& blocks, std::initializer_list<Kind> kinds = {});

/// Fails the test unless every block explains itself, and recordings begin as they should.
void check_spool(const std::vector<Block>& blocks);

/// Everything but metadata.
std::vector<nlohmann::json> events_of(const nlohmann::json& trace);

/// Fails the test unless every event has what viewers need, nothing is negative, "b" and "e" come in pairs in this
/// order, and complete events of one row nest.
void check_trace(const nlohmann::json& trace);

}  // namespace treering::timeline
