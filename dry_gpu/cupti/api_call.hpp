// SPDX-License-Identifier: Apache-2.0
// Records a call of the runtime or the driver for CUPTI; costs one relaxed load while nothing is recorded.
#pragma once

#include <optional>

#include "dry_gpu/cupti/activities.hpp"

namespace strata::dry_gpu {

// Lives from the function's first line to its last. Calls inside it are part of it.
class ApiCall {
 public:
  explicit ApiCall(CUpti_runtime_api_trace_cbid function) {
    if (records_calls.load(std::memory_order_relaxed)) begin(CUPTI_ACTIVITY_KIND_RUNTIME, function);
  }
  explicit ApiCall(CUpti_driver_api_trace_cbid function) {
    if (records_calls.load(std::memory_order_relaxed)) begin(CUPTI_ACTIVITY_KIND_DRIVER, function);
  }
  ~ApiCall() {
    if (call_) end();
  }
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;

  // Sets the call's result.
  template <typename Error>
  Error answer(Error error) {
    if (call_) call_->returnValue = static_cast<std::uint32_t>(error);
    return error;
  }

 private:
  void begin(CUpti_ActivityKind kind, CUpti_CallbackId function) noexcept;
  void end() noexcept;

  std::optional<CUpti_ActivityAPI> call_;
};

}  // namespace strata::dry_gpu
