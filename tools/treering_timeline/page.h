#pragma once

#include <string_view>

namespace treering::tools {

/// The report's files in page/, put together by embed.py when the tool is built: `page_before` up to the data,
/// `page_between` up to the spans, `page_after` the rest.
std::string_view page_before();
std::string_view page_between();
std::string_view page_after();

}  // namespace treering::tools
