// SPDX-License-Identifier: Apache-2.0
// What the real cuDNN answers of an operation graph: configurations of its engines, best first, and the plans
// of those that somebody has asked for. As text it goes between processes and into files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata::dry_gpu::real_cudnn {

struct Plan {
  bool works = false;  // else cuDNN makes none of this configuration
  std::int64_t workspace_bytes = 0;

  bool operator==(const Plan&) const = default;
};

// One of an engine's settings, by cuDNN's own numbers (cudnnBackendKnobType_t).
struct Knob {
  std::int32_t type = 0;
  std::int64_t value = 0;

  bool operator==(const Knob&) const = default;
};
using Knobs = std::vector<Knob>;
inline constexpr std::size_t kMostKnobs = 64;  // of a configuration

inline constexpr std::int32_t kTileSizeKnob = 2, kWorkspaceKnob = 25, kClusterRowsKnob = 27,
                              kClusterColumnsKnob = 28;

struct Configuration {
  std::int64_t engine = 0;  // its number among all of the graph's engines
  std::vector<std::int32_t> numerical_notes, behavior_notes;
  Knobs knobs;
  std::optional<Plan> plan;  // nothing: it was not asked for

  bool operator==(const Configuration&) const = default;
};

using Configurations = std::vector<Configuration>;

// A line each: "engine 38 notes 0,4 behavior - knobs 2:5,25:0 plan 1048576"; "plan none" is one that cuDNN
// does not make, and "plan ?" one that was not asked for.
std::string text_of(const Configurations& configurations);
std::string text_of(const Plan& plan);  // what stands behind "plan " there

// Nothing: it is no such text, or says what cannot be. Throws nothing but std::bad_alloc.
std::optional<Configurations> parse_configurations(std::string_view text);
std::optional<Plan> parse_plan(std::string_view text);

}  // namespace strata::dry_gpu::real_cudnn
