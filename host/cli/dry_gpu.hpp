// SPDX-License-Identifier: Apache-2.0
// The dry GPU of this process: replaces CUDA's libraries by those of dry_gpu/, before anything that needs
// them is opened.
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

// lib/strata/dry_gpu next to the program's folder.
std::filesystem::path dry_gpu_folder();
// Whether this build has one; if not, `require_dry_gpu` throws UsageError.
bool has_dry_gpu();
void require_dry_gpu();
// Whether it is already loaded in this process: a real device is not available here.
bool is_on_dry_gpu();
// The libraries that replace CUDA's.
std::vector<std::filesystem::path> dry_gpu_facades();

// The context parts that are taken when a program first uses them, in the library's order.
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

// The devices of a process, and what is known of the values on them.
struct DryChoice {
  config::DeviceProfile profile;
  std::int64_t devices = 1;  // all of the same kind
  std::vector<config::Answer> answers;
  config::DrySettings settings;
  // For parts taken after a number of calls for the device's memory, not at their first use.
  std::array<std::optional<std::uint64_t>, kContextParts.size()> parts_after{};

  // Device memory of each NCCL communicator.
  std::uint64_t communicator_bytes() const;
};

// For a dry device in YAML. Throws like load_device_profile and load_answers.
DryChoice dry_choice(const config::DeviceConfig& device);

// "key value" lines, the library's format for devices: for strata_dry_gpu_choose, or a file.
std::string dry_choice_text(const DryChoice& choice);

class DryGpu {
 public:
  // Opens it for the rest of the process. Call before LibTorch is opened. Throws UsageError if it is not in
  // this build, or if CUDA's own libraries are already loaded.
  explicit DryGpu(DryChoice choice);

  const config::DeviceProfile& profile() const { return choice_.profile; }

  // A forked child continues with a copy of the device; with CUDA that is impossible.
  void copy_to_children() const { copy_to_children_(); }

  // A JSON object for the manifest: the device, and the limits of the results so far.
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
