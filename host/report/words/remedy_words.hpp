// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/shapes/shape_detail.hpp"

namespace strata::report {

enum class Framework : std::uint8_t {
  kStrata,  // Strata's own trainer: keys of its YAML file
  kPyTorch,
  kTransformers,
  kLightning,
  kLibTorch,  // C++
};

Framework framework_of(const analysis::MemoryFacts& facts);

// "fused=True allocates no such temporaries": how to do it with the framework, and what that changes. `whose`
// forwards or outputs a remedy is about, if it names any.
std::string remedy_words(analysis::Remedy remedy, Framework framework, std::string_view whose = {});

}  // namespace strata::report
