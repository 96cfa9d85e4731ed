// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cupti/api_call.hpp"

namespace strata::dry_gpu {

void ApiCall::begin(CUpti_ActivityKind kind, CUpti_CallbackId function) noexcept {
  Activities* const records = activities();
  const std::uint32_t correlation = records == nullptr ? 0 : records->begin_call();
  if (correlation == 0) return;
  call_.emplace();
  call_->kind = kind;
  call_->cbid = function;
  call_->correlationId = correlation;
  call_->start = static_cast<std::uint64_t>(monotonic_ns());
}

void ApiCall::end() noexcept {
  call_->end = static_cast<std::uint64_t>(monotonic_ns());
  activities()->end_call(*call_);
}

}  // namespace strata::dry_gpu
