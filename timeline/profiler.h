#pragma once

#include <cstdint>
#include <string>

namespace treering::timeline {

/// Ranges and marks for a vendor's profiler, under the names that the timeline shows. Without a profiler, or in a build
/// without CUDA, they cost next to nothing. Any thread.
namespace profiler {

void mark(const std::string& name);
/// Ranges of one thread, which nest.
void push(const std::string& name);
void pop();
/// A range that may overlap others and end on another thread. Returns what `end` takes.
std::uint64_t begin(const std::string& name);
void end(std::uint64_t range);

}  // namespace profiler

}  // namespace treering::timeline
