#include <algorithm>

#include "topology/read/read.h"
#include "topology/read/text_scan.h"

namespace treering::topology {
namespace {

/// Name of the first element, past declarations, comments and the document type.
std::string_view root_element(std::string_view xml) {
  for (std::size_t at; (at = xml.find('<')) != std::string_view::npos;) {
    xml.remove_prefix(at + 1);
    if (xml.starts_with("!--")) {
      const std::size_t end = xml.find("-->");
      xml.remove_prefix(end == std::string_view::npos ? xml.size() : end + 3);
    } else if (!xml.empty() && xml[0] != '?' && xml[0] != '!') {
      return xml.substr(0, xml.find_first_of(" \t\r\n/>"));
    }
  }
  return {};
}

Format of_xml(std::string_view xml) {
  const std::string_view root = root_element(xml);
  if (root == "system") return Format::nccl_xml;
  if (root == "graphs" || root == "graph") return Format::nccl_graph;
  return root == "topology" ? Format::hwloc_xml : Format::unknown;
}

bool is_gpu_title(std::string_view word) {
  return word.starts_with("GPU") && to_integer(word.substr(3), 0, 1 << 16).has_value();
}

bool is_numbers(std::string_view line) {
  const auto number = [](char c) {
    return (c >= '0' && c <= '9') || c == ' ' || c == '\t' || c == ',' || c == '-' || c == '.';
  };
  return !line.empty() && std::all_of(line.begin(), line.end(), number);
}

}  // namespace

Format sniff(std::string_view text) {
  const std::string clean = clean_text(text.substr(0, 64 * 1024));
  const std::string_view body = trimmed(clean);
  if (body.starts_with('<')) return of_xml(body);
  if (body.starts_with('{') || body.starts_with('[')) return Format::json;
  for (const std::string_view line : lines_of(body)) {
    const std::string_view content = trimmed(line);
    if (content.empty() || content.starts_with('#')) continue;
    const auto words = words_of(content);
    if (words[0] == "treering-topology") return Format::plain;
    if (words[0] == "Machine" && words.size() > 1 && words[1].starts_with('(')) return Format::lstopo_console;
    if (is_gpu_title(words[0])) return Format::nvidia_smi;
    if (is_numbers(content)) return Format::matrix;
  }
  return Format::unknown;
}

}  // namespace treering::topology
