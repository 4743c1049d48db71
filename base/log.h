#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace treering {

enum class LogLevel : unsigned char { trace, debug, info, warning, error, off };

/// Lines on stderr with the rank in front. One object per engine, handed down; thread-safe; never throws.
class Log {
 public:
  /// A negative rank is not known yet and left out.
  Log(LogLevel level, int rank);
  ~Log();

  bool enabled(LogLevel level) const { return level >= level_; }
  void write(LogLevel level, std::string_view text) const;
  void debug(std::string_view text) const { write(LogLevel::debug, text); }
  void info(std::string_view text) const { write(LogLevel::info, text); }
  void warning(std::string_view text) const { write(LogLevel::warning, text); }
  void error(std::string_view text) const { write(LogLevel::error, text); }

  /// Throws Error for a word that is no level.
  static LogLevel parse_level(std::string_view word);

 private:
  struct Sink;
  LogLevel level_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace treering
