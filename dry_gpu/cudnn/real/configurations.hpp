// SPDX-License-Identifier: Apache-2.0
// The real cuDNN's answer for an operation graph: configurations of its engines, best first, and the plans of
// those requested. Its text form is passed between processes and stored in files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata::dry_gpu::real_cudnn {

struct Plan {
  bool works = false;  // if not, cuDNN makes no plan for this configuration
  std::int64_t workspace_bytes = 0;

  bool operator==(const Plan&) const = default;
};

// A setting of an engine, by cuDNN's own number (cudnnBackendKnobType_t).
struct Knob {
  std::int32_t type = 0;
  std::int64_t value = 0;

  bool operator==(const Knob&) const = default;
};
using Knobs = std::vector<Knob>;
inline constexpr std::size_t kMostKnobs = 64;  // per configuration

inline constexpr std::int32_t kTileSizeKnob = 2, kWorkspaceKnob = 25, kClusterRowsKnob = 27,
                              kClusterColumnsKnob = 28;

struct Configuration {
  std::int64_t engine = 0;  // among all engines of the graph
  std::vector<std::int32_t> numerical_notes, behavior_notes;
  Knobs knobs;
  std::optional<Plan> plan;  // empty: not requested

  bool operator==(const Configuration&) const = default;
};

using Configurations = std::vector<Configuration>;

// One line each: "engine 38 notes 0,4 behavior - knobs 2:5,25:0 plan 1048576". "plan none" means that cuDNN
// makes none, "plan ?" that it was not requested.
std::string text_of(const Configurations& configurations);
std::string text_of(const Plan& plan);  // the part after "plan "

// Empty if the text has another form or impossible values. Throws only std::bad_alloc.
std::optional<Configurations> parse_configurations(std::string_view text);
std::optional<Plan> parse_plan(std::string_view text);

}  // namespace strata::dry_gpu::real_cudnn
