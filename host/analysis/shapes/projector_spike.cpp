// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/analysis/shapes/families.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

bool decomposes(std::string_view op) {
  return op.find("svd") != std::string_view::npos || op.find("linalg_qr") != std::string_view::npos;
}

struct DecompositionSpike {
  const Block* factor = nullptr;
  Level top;
  std::uint64_t rise = 0;
};

// From the first factor of a decomposition until its longest-lived temporary is gone.
DecompositionSpike highest_spike(const StepView& step, const Span& phase) {
  DecompositionSpike highest;
  for (const Block& block : step.born_in(phase)) {
    if (!decomposes(step.text(block.op)) || block.kind != BlockKind::kOptimizerTemp) continue;
    const Level before = step.level_at(block.birth_sequence - 1);
    const Level top = step.highest({block.birth_sequence, std::min(block.death_sequence, phase.end)});
    const std::uint64_t rise = top.bytes - std::min(top.bytes, before.bytes);
    if (rise > highest.rise) highest = {&block, top, rise};
  }
  return highest;
}

}  // namespace

std::vector<Shape> projector_spikes(const StepView& step) {
  std::vector<Shape> shapes;
  for (const Span& phase : step.phases(STRATA_PHASE_OPTIMIZER)) {
    const DecompositionSpike spike = highest_spike(step, phase);
    if (spike.factor == nullptr || !step.is_seen(spike.rise)) continue;
    std::uint64_t projectors = 0;
    for (const Block& block : step.born_in(phase)) projectors += block.kind == BlockKind::kProjector ? 1 : 0;
    if (projectors == 0) continue;
    const std::string op(step.text(spike.factor->op));
    Shape shape =
        step.shape(ShapeKind::kProjectorSpike, {spike.factor->birth_sequence, spike.factor->death_sequence},
                   spike.top, spike.rise);
    const bool is_svd = op.find("svd") != std::string::npos;
    shape.remedies = {Remedy::kProjectorInterval,
                      is_svd ? Remedy::kRandomizedProjector : Remedy::kProjectorRank};
    shape.detail = ProjectorSpikeDetail{op, projectors};
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace strata::analysis
