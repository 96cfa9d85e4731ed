// SPDX-License-Identifier: Apache-2.0
// Kinds of operators, modules and activities, independent of the numbers in stores.
#pragma once

#include "host/analysis/facts/time_spans.hpp"

namespace strata::analysis {

enum class OpKind : std::uint8_t { kOperator, kBackwardNode, kRange };
OpKind kind_of(const OpSpan& op);

enum class ModuleDirection : std::uint8_t { kForward, kBackward, kRecompute };
ModuleDirection direction_of(const ModuleSpan& module);
ModuleSpan backward_module(std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t thread,
                           std::uint32_t path);

enum class WorkKind : std::uint8_t { kKernel, kGraph, kCopy, kSet };
// For an activity for which is_device_work() is true.
WorkKind work_kind_of(std::uint32_t activity_kind);

}  // namespace strata::analysis
