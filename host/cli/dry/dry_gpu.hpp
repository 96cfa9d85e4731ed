// SPDX-License-Identifier: Apache-2.0
// The dry GPU of this process: CUDA's libraries replaced by dry_gpu/'s, before anything that needs them is
// opened.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/files/answer_file.hpp"
#include "host/config/files/device_profile.hpp"
#include "host/config/run_config.hpp"
#include "strata/dry_gpu.h"

namespace strata::cli {

// lib/strata/dry_gpu beside the program's folder.
std::filesystem::path dry_gpu_folder();
// Whether this build has one; `require_dry_gpu` throws UsageError where it has not.
bool has_dry_gpu();
void require_dry_gpu();
// Whether somebody has put it into this process: a real device cannot be had here.
bool is_on_dry_gpu();
// The libraries that stand in for CUDA's.
std::vector<std::filesystem::path> dry_gpu_facades();

// The parts of a context that are taken when a program touches them first, in the library's order.
struct ContextPart {
  std::string_view name;
  std::uint64_t config::DeviceProfile::*bytes;
};
inline constexpr std::array kContextParts = {
    ContextPart{"kernels", &config::DeviceProfile::context_kernels_bytes},
    ContextPart{"cublas", &config::DeviceProfile::context_cublas_bytes},
    ContextPart{"cudnn", &config::DeviceProfile::context_cudnn_bytes},
    ContextPart{"cusolver", &config::DeviceProfile::context_cusolver_bytes},
    ContextPart{"cufft", &config::DeviceProfile::context_cufft_bytes},
    ContextPart{"attention", &config::DeviceProfile::context_attention_bytes},
    ContextPart{"nccl", &config::DeviceProfile::context_nccl_bytes}};
static_assert(kContextParts.size() <= STRATA_DRY_GPU_CONTEXT_PARTS);

// What a process's devices are, and what is known of the values on them.
struct DryChoice {
  config::DeviceProfile profile;
  std::int64_t devices = 1;  // all of one kind
  std::vector<config::Answer> answers;
  config::DrySettings settings;
  // Of parts that are taken after so many calls for the device's memory, and not when they are touched.
  std::array<std::optional<std::uint64_t>, kContextParts.size()> parts_after{};

  // That each communicator of NCCL takes of its device.
  std::uint64_t communicator_bytes() const;
};

// Of a dry device of the YAML. Throws as load_device_profile and load_answers do.
DryChoice dry_choice(const config::DeviceConfig& device);

// "key value" lines, in which the library takes its devices: strata_dry_gpu_choose, or a file.
std::string dry_choice_text(const DryChoice& choice);

class DryGpu {
 public:
  // Opens it for the rest of the process. To be called before LibTorch is opened. Throws UsageError: not in
  // this build, or CUDA's own libraries are in the process already.
  explicit DryGpu(DryChoice choice);

  const config::DeviceProfile& profile() const { return choice_.profile; }

  // A child of this process goes on with a copy of the device, as no child of CUDA's can.
  void copy_to_children() const { copy_to_children_(); }

  // A JSON object for the manifest: what the device is, and what a result must own up to so far.
  std::string describe() const;

 private:
  DryChoice choice_;
  decltype(&strata_dry_gpu_copy_to_children) copy_to_children_ = nullptr;
  decltype(&strata_dry_gpu_count) count_ = nullptr;
  decltype(&strata_dry_gpu_count_modelled) count_modelled_ = nullptr;
  decltype(&strata_dry_gpu_set_context_parts) set_context_parts_ = nullptr;
  decltype(&strata_dry_gpu_visit_refused) visit_refused_ = nullptr;
  decltype(&strata_dry_gpu_visit_readers) visit_readers_ = nullptr;
};

}  // namespace strata::cli
