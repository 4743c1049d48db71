#pragma once

#include <cstddef>

/// Calls of the global operator new by this thread so far; this test program replaces it.
std::size_t allocations_of_this_thread();
