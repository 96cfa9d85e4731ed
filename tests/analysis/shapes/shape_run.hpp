// SPDX-License-Identifier: Apache-2.0
// Hand-made training steps that produce each shape, or almost produce it.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/analyse.hpp"
#include "host/analysis/shapes/find_shapes.hpp"
#include "tests/analysis/run_builder.hpp"

namespace strata::analysis::testing {

// The actions in the phases of each step, in order; empty: no such phase.
struct StepScript {
  using Part = std::function<void(RunBuilder&)>;
  Part forward = {}, loss = {}, backward = {}, optimizer = {}, zero_grad = {};
};

// The address of its parameter.
inline constexpr std::uint64_t kParameterAddress = 0x5f0000000000;

// A run with one parameter of `parameter_bytes` and `steps` such steps, all in the window.
Facts run_of(const StepScript& script, std::int64_t steps = 2, std::uint64_t parameter_bytes = 1000);

std::set<std::string> kinds_of(const Facts& facts);
bool has(const Facts& facts, ShapeKind kind);
// The only shape of its kind; throws if there is none or more than one.
Shape only(const Facts& facts, ShapeKind kind);

}  // namespace strata::analysis::testing
