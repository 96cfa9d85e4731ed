#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "host/cli/doctor/check.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

// The driver's functions that are called, by their documented C signatures; 0 is CUDA_SUCCESS.
using CuInit = int (*)(unsigned flags);
using CuDriverGetVersion = int (*)(int* version);
using CuDeviceGetCount = int (*)(int* count);
using CuDeviceGetName = int (*)(char* name, int bytes, int device);

constexpr const char* kNoGpuRemedy = "none needed: this version of Strata runs on the CPU";

Finding missing(std::string name, std::string detail) {
  return {.name = std::move(name),
          .verdict = Verdict::kMissing,
          .detail = std::move(detail),
          .remedy = kNoGpuRemedy};
}

template <typename Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

std::string device_names(void* driver, int count) {
  const auto get_name = find<CuDeviceGetName>(driver, "cuDeviceGetName");
  std::string names;
  for (int device = 0; device < count && get_name != nullptr; ++device) {
    std::array<char, 128> name{};
    if (get_name(name.data(), static_cast<int>(name.size()) - 1, device) != 0) continue;
    names += (names.empty() ? "" : ", ") + std::string(name.data());
  }
  return names;
}

Findings check_driver() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return {missing("GPU driver", "no libcuda.so.1")};
  const auto initialise = find<CuInit>(driver, "cuInit");
  const auto get_version = find<CuDriverGetVersion>(driver, "cuDriverGetVersion");
  const auto get_count = find<CuDeviceGetCount>(driver, "cuDeviceGetCount");
  if (initialise == nullptr || get_version == nullptr || get_count == nullptr) {
    return {missing("GPU driver", "libcuda.so.1 lacks cuInit, cuDriverGetVersion or cuDeviceGetCount")};
  }
  int version = 0;
  get_version(&version);
  Findings findings{
      {.name = "GPU driver", .detail = fmt::format("for CUDA {}.{}", version / 1000, version % 1000 / 10)}};
  int count = 0;
  if (const int error = initialise(0); error != 0) {
    findings.push_back(missing("GPU devices", fmt::format("cuInit answers error {}", error)));
  } else if (get_count(&count) != 0 || count == 0) {
    findings.push_back(missing("GPU devices", "the driver knows none"));
  } else {
    findings.push_back(
        {.name = "GPU devices", .detail = fmt::format("{}: {}", count, device_names(driver, count))});
  }
  return findings;
}

// The program of that name in PATH; empty when there is none.
fs::path program(std::string_view name) {
  const char* const value = std::getenv("PATH");
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    const fs::path candidate = fs::path(folder) / name;
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
  findings.push_back(check_cupti());
  findings.push_back(check_nsys());
  return findings;
}

}  // namespace strata::cli
