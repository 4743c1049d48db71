#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "timeline/recorder.h"

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

/// What the documentation says to do after a SIGKILL: cut after the last newline, append "]".
std::string repaired(const std::string& text);

/// Everything but metadata.
std::vector<nlohmann::json> events_of(const nlohmann::json& trace);

/// Fails the test unless every event has what viewers need, nothing is negative, "b" and "e" come in pairs in this
/// order, and complete events of one row nest.
void check_trace(const nlohmann::json& trace);

}  // namespace treering::timeline
