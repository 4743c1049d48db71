#pragma once

#include "device/cuda/peer_ranks.h"
#include "device/gpu_survey.h"
#include "topology/read/read.h"

namespace treering {

/// The machine that a survey describes. Without GPUs there is no graph; the last warning is then the survey's problem,
/// if it has one. Pure.
topology::ReadResult graph_of(const device::GpuSurvey& survey, topology::ReadOptions options);

/// The same for CUDA's order of paths, of which only the order is used.
topology::ReadResult graph_of(const device::PeerRanks& ranks, topology::ReadOptions options);

}  // namespace treering
