// SPDX-License-Identifier: Apache-2.0
// The device and process-wide LibTorch settings that determine how a run computes, and their description for
// the manifest.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "host/config/run_config.hpp"
#include "host/trainer/entry.hpp"

namespace strata::trainer {

// The device of a run, as a torch device.
inline c10::Device torch_device(const config::DeviceConfig& device) {
  if (device.kind == config::DeviceKind::kCpu) return c10::Device(c10::kCPU);
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(device.index)};
}

// Threads within an operator (the ranks share the machine's cores), oneDNN, determinism, the kernel of
// scaled_dot_product_attention, TF32, and the global generator's seed.
void apply_backend(const config::RunConfig& config, const RankPlace& place);

// A JSON object for the manifest: LibTorch's version and build, BLAS, oneDNN, OpenMP, threads.
std::string describe_backend();

}  // namespace strata::trainer
