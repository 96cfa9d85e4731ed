// The dry GPU of this process: CUDA's libraries replaced by dry_gpu/'s, before anything that needs them is
// opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/config/device_profile.hpp"
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

// "key value" lines, in which the library takes its devices: strata_dry_gpu_choose, or a file.
std::string dry_profile_text(const config::DeviceProfile& profile, std::int64_t devices);

class DryGpu {
 public:
  // Opens it with `devices` devices of one kind, for the rest of the process. To be called before LibTorch is
  // opened. Throws UsageError: not in this build, or CUDA's own libraries are in the process already.
  DryGpu(config::DeviceProfile profile, std::int64_t devices);

  const config::DeviceProfile& profile() const { return profile_; }

  // A JSON object for the manifest: what the device is, and what a result must own up to so far.
  std::string describe() const;

 private:
  config::DeviceProfile profile_;
  std::int64_t devices_;
  decltype(&strata_dry_gpu_count) count_ = nullptr;
  decltype(&strata_dry_gpu_visit_refused) visit_refused_ = nullptr;
};

}  // namespace strata::cli
