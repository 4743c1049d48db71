#pragma once

#include <map>
#include <string>
#include <vector>

#include "transport/gather.h"
#include "transport/tcp/line.h"

namespace treering::transport::tcp {

struct Lines {
  std::map<int, Line> by_peer;        ///< the edges that have a line, on both sides
  std::vector<std::string> refusals;  ///< edges of the job without one, for people; the same on every rank
};

/// Opens one line for every pair of neighbours on different nodes. Collective over the job. `edges[rank]` lists each
/// rank's neighbours elsewhere; `refuse`: this rank's system pretends to refuse sockets.
Lines connect_lines(int self, const std::vector<std::vector<int>>& edges, const std::vector<std::string>& hosts,
                    bool refuse, const Gather& gather, const Deadline& deadline);

}  // namespace treering::transport::tcp
