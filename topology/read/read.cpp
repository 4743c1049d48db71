#include "topology/read/read.h"

#include <algorithm>

#include "base/parse_value.h"
#include "topology/read/context.h"
#include "topology/read/text_scan.h"

namespace treering::topology {
namespace {

/// What to do instead with files that hold no links.
std::string_view advice(Format format) {
  switch (format) {
    case Format::nccl_graph:
      return "an NCCL graph dump holds rings and trees that NCCL found, not the machine; give the file that "
             "NCCL_TOPO_DUMP_FILE writes";
    case Format::json:
      return "JSON profiles of other planners hold latencies and rates but no links; give the machine in another "
             "format";
    case Format::lstopo_console:
      return "console output of lstopo leaves out link speeds; give the output of 'lstopo --of xml'";
    default:
      return "none of: Treering's own format, NCCL topology XML, 'nvidia-smi topo -m', hwloc XML, matrix of whole "
             "numbers";
  }
}

void read_as(Format format, std::string_view text, ReadContext& context) {
  switch (format) {
    case Format::plain: return read_plain(clean_text(text), context);
    case Format::nccl_xml: return read_nccl_xml(text, context);
    case Format::nvidia_smi: return read_nvidia_smi(clean_text(text), context);
    case Format::hwloc_xml: return read_hwloc_xml(text, context);
    case Format::matrix: return read_matrix(clean_text(text), context);
    default: break;
  }
  const std::string clean = clean_text(text.substr(0, 4096));
  const auto lines = lines_of(clean);
  const auto first =
      std::find_if(lines.begin(), lines.end(), [](std::string_view line) { return !trimmed(line).empty(); });
  throw Unreadable(format == Format::unknown
                       ? std::string("unknown format, ") + std::string(advice(format)) + "; it begins with " +
                             quoted(first == lines.end() ? std::string_view() : trimmed(*first))
                       : std::string(advice(format)));
}

}  // namespace

std::string_view name_of(Format format) {
  switch (format) {
    case Format::plain: return "Treering topology";
    case Format::nccl_xml: return "NCCL topology XML";
    case Format::nvidia_smi: return "nvidia-smi topo -m";
    case Format::hwloc_xml: return "hwloc XML";
    case Format::matrix: return "integer matrix";
    case Format::nccl_graph: return "NCCL graph XML";
    case Format::json: return "JSON";
    case Format::lstopo_console: return "lstopo console output";
    case Format::unknown: break;
  }
  return "unknown format";
}

ReadResult read_topology(std::string_view text, std::string_view name, const ReadOptions& options) {
  ReadResult result;
  ReadContext context(name, options);
  std::string reason;
  try {
    if (text.size() > most_topology_bytes) throw Unreadable("longer than " + bytes_text(most_topology_bytes) + "B");
    if (trimmed(text).empty()) throw Unreadable("it is empty");
    result.format = sniff(text);
    read_as(result.format, text, context);
    if (context.graph().nodes().empty()) throw Unreadable("it names no device");
    result.graph = std::move(context.graph());
  } catch (const Unreadable& error) {
    reason = error.what();
  }
  result.warnings = context.take_warnings();
  if (!result.graph) result.warnings.push_back(std::string(name) + " is not used: " + reason);
  return result;
}

}  // namespace treering::topology
