#include "host/trainer/models/module_scope.hpp"

namespace strata::trainer {

ModuleScope ModuleScope::child(std::string_view name) const {
  ModuleScope scope = *this;
  if (!scope.path_.empty()) scope.path_ += '.';
  scope.path_ += name;
  return scope;
}

std::optional<ModuleRange> ModuleScope::enter(std::string_view type) const {
  if (session_ == nullptr) return std::nullopt;
  return std::optional<ModuleRange>(std::in_place, *session_, path_, type);
}

std::optional<ModuleRange> ModuleScope::enter_again() const {
  if (session_ == nullptr) return std::nullopt;
  return std::optional<ModuleRange>(std::in_place, *session_, path_, "Recompute",
                                    ModuleDirection::kRecompute);
}

}  // namespace strata::trainer
