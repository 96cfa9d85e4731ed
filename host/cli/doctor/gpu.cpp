#include <dlfcn.h>
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
  if (!driver) return {missing("GPU driver", "no libcuda.so.1, or none that answers like one")};
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
          .remedy = "build Strata with the CUDA wheel of torch, which has CUDA's headers beside it"};
}

// The program of that name in PATH; empty when there is none.
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

Finding check_cupti() {
  for (const char* const name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
    if (dlopen(name, RTLD_NOW | RTLD_LOCAL) != nullptr) return {.name = "CUPTI", .detail = name};
  }
  return missing("CUPTI", "no libcupti.so that the dynamic linker finds");
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
  findings.push_back(check_cupti());
  findings.push_back(check_nsys());
  return findings;
}

}  // namespace strata::cli
