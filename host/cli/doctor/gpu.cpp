// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "host/cli/cuda_driver.hpp"
#include "host/cli/doctor/check.hpp"
#include "host/cli/dry_gpu.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoGpuRemedy = "none needed: runs compute on the CPU, or on a dry GPU (--dry)";

Finding missing(std::string name, std::string detail) {
  return {.name = std::move(name),
          .verdict = Verdict::kMissing,
          .detail = std::move(detail),
          .remedy = kNoGpuRemedy};
}

Findings check_driver() {
  const std::optional<CudaDriver> driver = ask_cuda_driver();
  if (!driver) return {missing("GPU driver", "no libcuda.so.1, or one that is not a GPU driver")};
  Findings findings{{.name = "GPU driver", .detail = "for CUDA " + driver->cuda_version}};
  if (driver->devices.empty()) {
    findings.push_back(missing("GPU devices", driver->problem));
  } else {
    findings.push_back(
        {.name = "GPU devices",
         .detail = fmt::format("{}: {}", driver->devices.size(), fmt::join(driver->devices, ", "))});
  }
  return findings;
}

Finding check_dry_gpu() {
  if (has_dry_gpu()) return {.name = "dry GPU", .detail = dry_gpu_folder().string()};
  return {.name = "dry GPU",
          .verdict = Verdict::kMissing,
          .detail = fmt::format("not in {}", dry_gpu_folder().string()),
          .remedy = "build Strata with the CUDA wheel of torch, which installs CUDA's headers"};
}

// The program with that name in PATH; empty if there is none.
fs::path program(std::string_view name) {
  const char* const value = std::getenv("PATH");
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    fs::path candidate = fs::path(folder) / name;
    std::error_code ignored;
    if (fs::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
  }
  return {};
}

// A program may plug in another one, which is reported by its own runs.
Finding check_cuda_allocator() {
  for (const char* const variable : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"}) {
    const char* const settings = std::getenv(variable);
    if (settings == nullptr || std::string_view(settings).find("cudaMallocAsync") == std::string_view::npos)
      continue;
    return {.name = "CUDA allocator",
            .verdict = Verdict::kWarning,
            .detail = fmt::format("cudaMallocAsync ({}): runs see its blocks through a wrapper, and only the "
                                  "total of reserved memory",
                                  variable),
            .remedy = fmt::format("to see segments and the memory of each stream, remove backend: from {}",
                                  variable)};
  }
  return {.name = "CUDA allocator", .detail = "torch's own, which reports blocks and segments"};
}

Finding check_nsys() {
  const fs::path nsys = program("nsys");
  if (nsys.empty()) return missing("Nsight Systems", "no nsys in PATH");
  return {.name = "Nsight Systems", .detail = nsys.string()};
}

}  // namespace

Findings check_gpu() {
  Findings findings = check_driver();
  findings.push_back(check_dry_gpu());
  findings.push_back(check_cuda_allocator());
  findings.push_back(check_cupti());
  findings.push_back(check_nsys());
  return findings;
}

}  // namespace strata::cli
