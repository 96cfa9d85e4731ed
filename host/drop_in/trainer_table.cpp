// SPDX-License-Identifier: Apache-2.0
#include "host/drop_in/trainer_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "host/drop_in/process_session.hpp"

namespace strata::drop_in {
namespace {

using std::string_view;

constexpr std::array<std::pair<string_view, PhaseKind>, 12> kPhases{{
    {"setup", PhaseKind::kSetup},
    {"data", PhaseKind::kData},
    {"host_to_device", PhaseKind::kHostToDevice},
    {"forward", PhaseKind::kForward},
    {"loss", PhaseKind::kLoss},
    {"backward", PhaseKind::kBackward},
    {"gradient_sync", PhaseKind::kGradientSync},
    {"clip", PhaseKind::kClip},
    {"optimizer", PhaseKind::kOptimizer},
    {"zero_grad", PhaseKind::kZeroGrad},
    {"checkpoint_save", PhaseKind::kCheckpointSave},
    {"evaluation", PhaseKind::kEvaluation},
}};

// Used by one thread at a time, the loop's.
std::uint64_t next_step = 0;
std::uint64_t steps_of_session = 0;
std::uint64_t described_session = 0;
StepResult result;

// A program's slip shall not end it.
const char* text(const char* given) noexcept {
  return given == nullptr ? "" : given;
}

// The session open at the time; a process may have several, one after the other. If out of memory, the mark
// is lost and the program continues.
template <typename Call>
void tell(Call call) noexcept {
  const SessionCall current;
  try {
    if (current.session() != nullptr) call(*current.session());
  } catch (...) {
  }
}

void step_begin() noexcept {
  result = {};
  tell([](Session& run) {
    if (std::exchange(steps_of_session, SessionCall::sessions()) != SessionCall::sessions()) next_step = 0;
    run.begin_step(next_step++, 0);
  });
}
void step_end() noexcept {
  tell([](Session& run) { run.end_step(result); });
}
void step_result(double loss, std::uint64_t tokens) noexcept {
  result.loss = std::isnan(loss) ? std::nullopt : std::optional(loss);
  result.tokens = tokens;
  // The header calls them "items": tokens in one program, images in another.
  if (tokens > 0 && std::exchange(described_session, SessionCall::sessions()) != SessionCall::sessions())
    tell([](Session& run) { run.describe("unit", R"("items")"); });
}
void micro_batch(std::uint32_t index) noexcept {
  tell([&](Session& run) { run.begin_micro_batch(index); });
}

std::uint32_t phase_begin(const char* name) noexcept {
  std::uint32_t phase = STRATA_NONE;
  tell([&](Session& run) { phase = run.begin_phase(phase_kind(text(name)), text(name)); });
  return phase;
}
void phase_end(std::uint32_t phase) noexcept {
  tell([&](Session& run) { run.end_phase(phase); });
}

std::uint32_t module_begin(const char* path, const char* type, std::uint32_t direction) noexcept {
  std::uint32_t module = STRATA_NONE;
  tell([&](Session& run) {
    module = run.begin_module(text(path), text(type), static_cast<ModuleDirection>(direction));
  });
  return module;
}
void module_end(std::uint32_t module) noexcept {
  tell([&](Session& run) { run.end_module(module); });
}

std::int32_t wants_tensors() noexcept {
  const SessionCall current;
  return current.session() != nullptr && current.session()->wants_tensors() ? 1 : 0;
}
void tensor(const strata_owned_storage* storage) noexcept {
  TensorInfo info;
  info.role = static_cast<TensorRole>(storage->role);
  info.name = text(storage->name);
  info.dtype = text(storage->dtype);
  info.device_type = static_cast<DeviceType>(storage->device.type);
  info.device_index = storage->device.index;
  info.address = storage->address;
  info.storage_bytes = storage->storage_bytes;
  info.owner_address = storage->owner_address;
  info.sizes = {storage->sizes, storage->dimensions};
  info.is_frozen = storage->is_frozen != 0;
  tell([&](Session& run) { run.tensor(info); });
}

void watch_optimizer(void (*call)(void*), void* context) noexcept {
  tell([&](Session& run) { run.watch_optimizers(context, [call, context] { call(context); }); });
}
void forget_optimizer(void* context) noexcept {
  tell([&](Session& run) { run.forget_optimizers(context); });
}

constexpr strata_trainer_calls kCalls{.struct_size = sizeof(strata_trainer_calls),
                                      .abi_major = STRATA_ABI_MAJOR,
                                      .abi_minor = STRATA_ABI_MINOR,
                                      .step_begin = step_begin,
                                      .step_end = step_end,
                                      .step_result = step_result,
                                      .micro_batch = micro_batch,
                                      .phase_begin = phase_begin,
                                      .phase_end = phase_end,
                                      .module_begin = module_begin,
                                      .module_end = module_end,
                                      .wants_tensors = wants_tensors,
                                      .tensor = tensor,
                                      .watch_optimizer = watch_optimizer,
                                      .forget_optimizer = forget_optimizer};

}  // namespace

PhaseKind phase_kind(string_view name) noexcept {
  const auto* const known = std::ranges::find(kPhases, name, &std::pair<string_view, PhaseKind>::first);
  return known == kPhases.end() ? PhaseKind::kOther : known->second;
}

const strata_trainer_calls* trainer_table() noexcept {
  return &kCalls;
}

}  // namespace strata::drop_in
