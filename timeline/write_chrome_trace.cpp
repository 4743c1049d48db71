#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "timeline/chrome_trace.h"

namespace treering::timeline {

namespace {

std::vector<char> contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

ClockMap clock_of(std::span<const std::byte> spool) {
  std::vector<ClockPoint> points;
  SpoolReader reader(spool);
  while (const auto block = reader.next())
    for (const Record& record : block->records)
      if (record.kind == Kind::clock) points.push_back(clock_point(record));
  return ClockMap(std::move(points));
}

std::string complaint(const std::string& path) {
  return "cannot write " + path + ": " + std::generic_category().message(errno);
}

}  // namespace

std::string write_chrome_trace(const std::string& from, const std::string& to) {
  const std::vector<char> raw = contents_of(from);
  const auto spool = std::as_bytes(std::span(raw));
  const std::string unfinished = to + ".part";
  std::FILE* const file = std::fopen(unfinished.c_str(), "we");
  if (file == nullptr) return complaint(unfinished);
  ChromeTrace trace(clock_of(spool), [file](std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); });
  SpoolReader reader(spool);
  while (const auto block = reader.next()) trace.add(*block);
  trace.end();
  const bool good = std::ferror(file) == 0;
  if (std::fclose(file) == 0 && good && std::rename(unfinished.c_str(), to.c_str()) == 0) return {};
  std::string problem = complaint(to);
  std::remove(unfinished.c_str());
  return problem;
}

}  // namespace treering::timeline
