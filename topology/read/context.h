#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/hardware/graph.h"
#include "topology/read/read.h"

namespace treering::topology {

/// What every reader gets: the graph to fill, where facts come from, and where to complain. Warnings are bounded, so a
/// file of nonsense does not fill the terminal.
class ReadContext {
 public:
  static constexpr std::size_t most_warnings = 20;

  ReadContext(std::string_view name, const ReadOptions& options) : options_(options), name_(name) {}

  const ReadOptions& options() const { return options_; }
  HardwareGraph& graph() { return graph_; }
  int stated() { return graph_.provenance(options_.origin, name_); }
  int assumed(std::string_view why) { return graph_.provenance(Origin::assumed, why); }

  void warn(std::string text) {
    if (warnings_.size() < most_warnings)
      warnings_.push_back(std::move(text));
    else
      ++more_;
  }

  std::vector<std::string> take_warnings() {
    if (more_ > 0) warnings_.push_back(std::to_string(more_) + " more of these");
    more_ = 0;
    return std::move(warnings_);
  }

 private:
  const ReadOptions& options_;
  std::string name_;
  HardwareGraph graph_;
  std::vector<std::string> warnings_;
  std::size_t more_ = 0;
};

/// Each fills the context's graph from text of its format; throws Unreadable with the reason if that cannot be done.
void read_plain(std::string_view text, ReadContext& context);
void read_matrix(std::string_view text, ReadContext& context);
void read_nvidia_smi(std::string_view text, ReadContext& context);
void read_nccl_xml(std::string_view text, ReadContext& context);
void read_hwloc_xml(std::string_view text, ReadContext& context);

}  // namespace treering::topology
