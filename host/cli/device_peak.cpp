// SPDX-License-Identifier: Apache-2.0
#include "host/cli/device_peak.hpp"

#include "host/analysis/facts/memory_facts.hpp"
#include "host/config/files/device_profile.hpp"

namespace strata::cli {

std::optional<analysis::DevicePeak> device_peak(const analysis::MemoryFacts& facts, const std::string& card) {
  const std::string name = !card.empty() ? card : facts.dry ? facts.dry->profile : "";
  if (name.empty()) return std::nullopt;
  const config::DeviceProfile profile = config::load_device_profile(name);
  return analysis::DevicePeak{
      .card = profile.name,
      .half_flop_per_second = 1e12 * (profile.bf16_tflops > 0 ? profile.bf16_tflops : profile.fp16_tflops),
      .single_flop_per_second = 1e12 * profile.fp32_tflops,
      .bytes_per_second = 1e9 * profile.memory_gb_per_s};
}

}  // namespace strata::cli
