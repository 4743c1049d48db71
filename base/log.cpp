#include "base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "base/parse_value.h"
#include "treering/status.h"

namespace treering {

namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::trace: return spdlog::level::trace;
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
    case LogLevel::off: return spdlog::level::off;
  }
  return spdlog::level::off;
}

}  // namespace

/// A logger of our own, never entered into spdlog's process-wide registry.
struct Log::Sink {
  explicit Sink(int rank) : logger("treering", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger.set_level(spdlog::level::trace);
    logger.set_pattern("%H:%M:%S.%f treering " + (rank < 0 ? "" : "rank " + std::to_string(rank) + " ") + "%l: %v");
    logger.flush_on(spdlog::level::trace);
  }
  spdlog::logger logger;
};

Log::Log(LogLevel level, int rank) : level_(level), sink_(std::make_unique<Sink>(rank)) {}

Log::~Log() = default;

void Log::write(LogLevel level, std::string_view text) const {
  if (!enabled(level) || level == LogLevel::off) return;
  try {
    sink_->logger.log(spdlog_level(level), spdlog::string_view_t(text.data(), text.size()));
  } catch (...) {
    // A line that cannot be written must not end what it reports on.
  }
}

LogLevel Log::parse_level(std::string_view word) {
  constexpr std::string_view words[] = {"trace", "debug", "info", "warning", "error", "off"};
  for (std::size_t index = 0; index < std::size(words); ++index)
    if (word == words[index]) return static_cast<LogLevel>(index);
  throw Error(StatusCode::invalid_argument,
              "log level " + quoted(word) + " is none of trace, debug, info, warning, error, off");
}

}  // namespace treering
