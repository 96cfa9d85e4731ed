#include "host/analysis/facts.hpp"

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

}  // namespace strata::analysis
