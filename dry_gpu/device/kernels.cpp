#include "dry_gpu/device/kernels.hpp"

namespace strata::dry_gpu {

void Kernels::add(const void* host_function, const char* name) {
  const std::scoped_lock lock(mutex_);
  added_.emplace_back(host_function, name);
}

void Kernels::add_variable(const void* host_variable, const char* name, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  variables_[host_variable] = {name, bytes};
}

const char* Kernels::name_of(const void* host_function) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [function, name] : added_) names_[function] = name;
  added_.clear();
  const auto found = names_.find(host_function);
  return found == names_.end() ? nullptr : found->second;
}

std::optional<Kernels::Variable> Kernels::variable(const void* host_variable) {
  const std::scoped_lock lock(mutex_);
  const auto found = variables_.find(host_variable);
  if (found == variables_.end()) return std::nullopt;
  return found->second;
}

Kernels& kernels() {
  static Kernels& only = *new Kernels;  // NOLINT(cppcoreguidelines-owning-memory)
  return only;
}

}  // namespace strata::dry_gpu
