// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/loop/backend.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/utils.h>
#include <torch/version.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

namespace strata::trainer {

namespace {

// Torch picks among the kernels that are enabled.
void enable_attention_kernels(config::Attention attention) {
  using config::Attention;
  const bool picks = attention == Attention::kNaive || attention == Attention::kSdpa;
  at::Context& context = at::globalContext();
  context.setSDPUseFlash(picks || attention == Attention::kSdpaFlash);
  context.setSDPUseMemEfficient(picks || attention == Attention::kSdpaEfficient);
  context.setSDPUseMath(picks || attention == Attention::kSdpaMath);
  context.setSDPUseCuDNN(picks);
}

}  // namespace

void apply_backend(const config::RunConfig& config, const RankPlace& place) {
  const config::BackendConfig& backend = config.backend;
  const auto threads = backend.threads > 0
                           ? static_cast<unsigned>(backend.threads)
                           : std::max(1u, std::thread::hardware_concurrency() / place.local_world_size);
  at::set_num_threads(static_cast<int>(threads));
  at::globalContext().setUserEnabledMkldnn(backend.onednn);
  at::globalContext().setDeterministicAlgorithms(backend.deterministic, /*warn_only=*/false);
  at::globalContext().setFloat32MatmulPrecision(config.precision == config::Precision::kTf32 ? "high"
                                                                                             : "highest");
  enable_attention_kernels(config.attention);
  torch::manual_seed(static_cast<std::uint64_t>(config.seed));
}

std::string describe_backend() {
  const nlohmann::ordered_json description = {
      {"version", TORCH_VERSION},
      {"threads", at::get_num_threads()},
      {"interop_threads", at::get_num_interop_threads()},
      {"onednn_enabled", at::globalContext().userEnabledMkldnn()},
      {"cpu_capability", at::get_cpu_capability()},
      {"blas", at::get_mkl_version()},
      {"onednn", at::get_mkldnn_version()},
      {"openmp", at::get_openmp_version()},
      {"build", at::show_config()},
  };
  return description.dump();
}

}  // namespace strata::trainer
