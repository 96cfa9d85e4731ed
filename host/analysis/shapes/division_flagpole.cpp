// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/shapes/families.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// aten::div, aten::_foreach_div, aten::true_divide
bool divides(std::string_view op) {
  const std::string_view name = op.substr(std::min(op.size(), op.rfind(':') + 1));
  return name.starts_with("div") || name.starts_with("_foreach_div") || name.starts_with("true_divide");
}

}  // namespace

std::vector<Shape> division_flagpoles(const StepView& step) {
  std::vector<Shape> shapes;
  for (const Span& phase : step.phases(STRATA_PHASE_OPTIMIZER)) {
    const Level top = step.highest(phase);
    const auto born = step.born_in(phase);
    const auto pole = std::ranges::find(born, top.sequence, &Block::birth_sequence);
    if (pole == born.end() || pole->kind != BlockKind::kOptimizerTemp || !divides(step.text(pole->op)))
      continue;
    std::uint64_t base = 0;
    for (const Block& block : born) {
      if (&block != &*pole && block.kind == BlockKind::kOptimizerTemp && block.is_alive_at(top.sequence))
        base += block.bytes;
    }
    if (base == 0 || !step.is_seen(pole->bytes)) continue;
    Shape shape = step.shape(ShapeKind::kDivisionFlagpole, {pole->birth_sequence, pole->death_sequence}, top,
                             pole->bytes);
    shape.block_sequence = pole->birth_sequence;
    shape.remedies = {Remedy::kForeachOptimizer, Remedy::kFusedOptimizer};
    shape.detail = DivisionFlagpoleDetail{.op = std::string(step.text(pole->op)), .base_bytes = base};
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace strata::analysis
