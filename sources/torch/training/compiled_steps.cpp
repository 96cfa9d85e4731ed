// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/compiled_steps.hpp"

#include <c10/core/TensorImpl.h>
#include <c10/util/intrusive_ptr.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strata::torch_source {
namespace {

// An optimizer may have some of the parameters and not the others.
constexpr std::size_t kMostVersions = 16;

struct Version {
  c10::weak_intrusive_ptr<c10::TensorImpl> parameter;
  std::uint32_t version;
};

struct CompiledSteps {
  std::mutex mutex;
  std::vector<Version> versions;
  std::set<std::string, std::less<>> optimizers;
};

CompiledSteps& compiled_steps() {
  static auto& all = *new CompiledSteps;  // NOLINT: not destroyed at exit, where backward may be under way
  return all;
}

std::vector<Version> take_versions() {
  CompiledSteps& known = compiled_steps();
  const std::lock_guard lock(known.mutex);
  return std::exchange(known.versions, {});
}

// Call without the mutex: locking a tensor held by Python takes the interpreter's lock, which a thread
// waiting for the mutex may hold.
bool was_written(const Version& known) {
  const auto parameter = known.parameter.lock();
  return parameter && parameter->version_counter().current_version() != known.version;
}

}  // namespace

void note_version(const at::Tensor& parameter) {
  if (parameter.is_inference()) return;  // has none
  CompiledSteps& known = compiled_steps();
  const std::lock_guard lock(known.mutex);
  if (known.versions.size() >= kMostVersions) return;
  const auto& tensor = parameter.getIntrusivePtr();
  known.versions.push_back(
      {c10::weak_intrusive_ptr<c10::TensorImpl>(tensor), tensor->version_counter().current_version()});
}

void forget_versions() {
  take_versions();
}

bool take_written_unseen() {
  std::vector<Version> versions = take_versions();
  if (std::ranges::any_of(versions, was_written)) return true;
  CompiledSteps& known = compiled_steps();
  const std::lock_guard lock(known.mutex);
  if (known.versions.empty()) known.versions.swap(versions);
  return false;
}

bool is_compiled_program(const at::RecordFunction& function) {
  return std::string_view(function.name()).starts_with("Torch-Compiled Region");
}

bool is_compiled_optimizer(std::string_view range) {
  CompiledSteps& known = compiled_steps();
  const std::lock_guard lock(known.mutex);
  return known.optimizers.contains(range);
}

void keep_compiled_optimizer(std::string_view range) {
  CompiledSteps& known = compiled_steps();
  const std::lock_guard lock(known.mutex);
  known.optimizers.emplace(range);
}

}  // namespace strata::torch_source
