// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/kernels/kernels.hpp"

namespace strata::dry_gpu {

void Kernels::add(const void* host_function, const char* name, const void* fat_binary) {
  const std::scoped_lock lock(mutex_);
  added_.emplace_back(host_function, Kernel{name, fat_binary});
}

void Kernels::add_variable(const void* host_variable, const char* name, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  variables_[host_variable] = {name, bytes};
}

std::optional<Kernels::Kernel> Kernels::kernel(const void* host_function) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [function, kernel] : added_) kernels_[function] = kernel;
  added_.clear();
  const auto found = kernels_.find(host_function);
  if (found == kernels_.end()) return std::nullopt;
  return found->second;
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
