// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/facts.hpp"

#include <algorithm>
#include <numeric>

namespace strata::analysis {

const char* to_string(Category category) {
  switch (category) {
    case Category::kParameter:
      return "Parameter";
    case Category::kOptimizerState:
      return "Optimizer_State";
    case Category::kInput:
      return "Input";
    case Category::kTemporary:
      return "Temporary";
    case Category::kActivation:
      return "Activation";
    case Category::kGradient:
      return "Gradient";
    case Category::kAutogradDetail:
      return "Autograd_Detail";
    case Category::kUnknown:
      break;
  }
  return "Unknown";
}

std::uint64_t sum(const CategoryBytes& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

bool traces_memory(const Facts& facts) {
  return std::ranges::any_of(facts.plugins, [](const PluginFact& plugin) {
    return plugin.id == "allocator_tracer" && plugin.status == "ok";
  });
}

}  // namespace strata::analysis
