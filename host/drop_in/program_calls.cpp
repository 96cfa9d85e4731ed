// SPDX-License-Identifier: Apache-2.0
#include "host/drop_in/program_calls.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "host/drop_in/process_session.hpp"
#include "host/drop_in/trainer_table.hpp"

using strata::RunEnd;
using strata::drop_in::SessionCall;

#define STRATA_PROGRAM_EXPORT __attribute__((visibility("default")))

namespace {

// A mark that is missing, for want of memory, is better than a training that stops.
template <typename Call>
auto with_session(Call call) noexcept -> decltype(call(std::declval<strata::Session&>())) {
  using Result = decltype(call(std::declval<strata::Session&>()));
  const SessionCall current;
  try {
    if (current.session() != nullptr) return call(*current.session());
  } catch (const std::exception&) {
  }
  return Result();
}

}  // namespace

STRATA_PROGRAM_EXPORT int strata_program_is_recording(void) {
  return with_session([](strata::Session&) { return 1; });
}

STRATA_PROGRAM_EXPORT int strata_program_open(const char* settings, char* problem, size_t problem_bytes) {
  try {
    strata::drop_in::open_process_session(settings);
    return 0;
  } catch (const std::exception& error) {
    if (problem_bytes > 0) {
      const std::string_view text = std::string_view(error.what()).substr(0, problem_bytes - 1);
      std::memcpy(problem, text.data(), text.size());
      problem[text.size()] = '\0';
    }
    return -1;
  }
}

STRATA_PROGRAM_EXPORT void strata_program_close(uint32_t reason) {
  const bool is_known = reason <= static_cast<uint32_t>(RunEnd::kExited);
  strata::drop_in::close_process_session(is_known ? static_cast<RunEnd>(reason) : RunEnd::kFailed);
}

STRATA_PROGRAM_EXPORT void strata_program_step(double loss, uint64_t tokens) {
  with_session([&](strata::Session& session) {
    strata::StepResult result;
    if (!std::isnan(loss)) result.loss = loss;
    result.tokens = tokens;
    session.mark_step(result);
  });
}

STRATA_PROGRAM_EXPORT uint32_t strata_program_begin_phase(const char* name) {
  return with_session(
      [&](strata::Session& session) { return session.begin_phase(strata::drop_in::phase_kind(name), name); });
}

STRATA_PROGRAM_EXPORT void strata_program_end_phase(uint32_t phase) {
  with_session([&](strata::Session& session) { session.end_phase(phase); });
}

STRATA_PROGRAM_EXPORT uint32_t strata_program_begin_module(const char* path, const char* type,
                                                           uint32_t direction) {
  const auto kRecompute = static_cast<uint32_t>(strata::ModuleDirection::kRecompute);
  const auto told = static_cast<strata::ModuleDirection>(std::min(direction, kRecompute));
  return with_session([&](strata::Session& session) { return session.begin_module(path, type, told); });
}

STRATA_PROGRAM_EXPORT void strata_program_end_module(uint32_t module) {
  if (module == 0) return;
  with_session([&](strata::Session& session) { session.end_module(module); });
}

STRATA_PROGRAM_EXPORT int strata_program_plugins_want_modules(void) {
  return with_session([](strata::Session& session) { return session.plugins_want_modules() ? 1 : 0; });
}

STRATA_PROGRAM_EXPORT void strata_program_tensor(uint32_t role, const char* name, const char* dtype,
                                                 uint32_t device_type, int32_t device_index, uint64_t address,
                                                 uint64_t storage_bytes, uint64_t owner_address,
                                                 const int64_t* sizes, uint32_t dimensions,
                                                 uint32_t is_frozen) {
  with_session([&](strata::Session& session) {
    session.tensor({.role = static_cast<strata::TensorRole>(role),
                    .name = name,
                    .dtype = dtype,
                    .device_type = static_cast<strata::DeviceType>(device_type),
                    .device_index = device_index,
                    .address = address,
                    .storage_bytes = storage_bytes,
                    .owner_address = owner_address,
                    .sizes = {sizes, dimensions},
                    .is_frozen = is_frozen != 0});
  });
}
