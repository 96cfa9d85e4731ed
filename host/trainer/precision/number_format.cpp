// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/precision/number_format.hpp"

namespace strata::trainer {

at::ScalarType parameter_dtype(config::Precision precision) {
  switch (precision) {
    case config::Precision::kFp64:
      return at::kDouble;
    case config::Precision::kBf16:
      return at::kBFloat16;
    default:
      return at::kFloat;
  }
}

std::optional<AutocastState> autocast_state(const config::RunConfig& config) {
  if (!is_autocast(config.precision)) return std::nullopt;
  const bool is_bf16 = config.precision == config::Precision::kBf16Autocast;
  return AutocastState{
      .enabled = true, .cache = config.autocast_cache, .dtype = is_bf16 ? at::kBFloat16 : at::kHalf};
}

}  // namespace strata::trainer
