// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/time/span_kinds.hpp"

#include "strata/ext/activity.h"
#include "strata/ext/module.h"
#include "strata/ext/op.h"

namespace strata::analysis {

OpKind kind_of(const OpSpan& op) {
  if (op.kind == STRATA_OP_USER) return OpKind::kRange;
  return op.kind == STRATA_OP_BACKWARD ? OpKind::kBackwardNode : OpKind::kOperator;
}

ModuleDirection direction_of(const ModuleSpan& module) {
  if (module.direction == STRATA_MODULE_BACKWARD) return ModuleDirection::kBackward;
  return module.direction == STRATA_MODULE_RECOMPUTE ? ModuleDirection::kRecompute
                                                     : ModuleDirection::kForward;
}

ModuleSpan backward_module(std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t thread,
                           std::uint32_t path) {
  return {begin_ns, end_ns, thread, path, STRATA_MODULE_BACKWARD};
}

WorkKind work_kind_of(std::uint32_t activity_kind) {
  switch (activity_kind) {
    case STRATA_ACTIVITY_COPY:
      return WorkKind::kCopy;
    case STRATA_ACTIVITY_SET:
      return WorkKind::kSet;
    case STRATA_ACTIVITY_GRAPH:
      return WorkKind::kGraph;
    default:
      return WorkKind::kKernel;
  }
}

}  // namespace strata::analysis
