// SPDX-License-Identifier: Apache-2.0
// What operators, modules and activities are, without the numbers that stores have for it.
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
// Of an activity of which is_device_work() holds.
WorkKind work_kind_of(std::uint32_t activity_kind);

}  // namespace strata::analysis
