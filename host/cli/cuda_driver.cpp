// SPDX-License-Identifier: Apache-2.0
#include "host/cli/cuda_driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>

#include "host/cli/usage_error.hpp"

namespace strata::cli {
namespace {

// The driver's functions that are called, by their documented C signatures; 0 is CUDA_SUCCESS.
using CuInit = int (*)(unsigned flags);
using CuDriverGetVersion = int (*)(int* version);
using CuDeviceGetCount = int (*)(int* count);
using CuDeviceGetName = int (*)(char* name, int bytes, int device);

template <typename Function>
Function driver_function(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

std::optional<CudaDriver> ask_cuda_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  const auto initialise = driver_function<CuInit>(library, "cuInit");
  const auto get_version = driver_function<CuDriverGetVersion>(library, "cuDriverGetVersion");
  const auto get_count = driver_function<CuDeviceGetCount>(library, "cuDeviceGetCount");
  const auto get_name = driver_function<CuDeviceGetName>(library, "cuDeviceGetName");
  if (initialise == nullptr || get_version == nullptr || get_count == nullptr || get_name == nullptr) {
    return std::nullopt;
  }
  CudaDriver driver;
  int version = 0;
  get_version(&version);
  driver.cuda_version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  int count = 0;
  if (const int error = initialise(0); error != 0) {
    driver.problem = fmt::format("cuInit returns error {}", error);
  } else if (get_count(&count) != 0 || count == 0) {
    driver.problem = "the driver finds no device";
  }
  for (int device = 0; device < count; ++device) {
    std::array<char, 128> name{};
    const bool named = get_name(name.data(), static_cast<int>(name.size()) - 1, device) == 0;
    driver.devices.emplace_back(named ? name.data() : "(no name)");
  }
  return driver;
}

bool has_nvidia_gpu() {
  std::error_code ignored;
  for (const auto& gpu : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", ignored)) {
    if (gpu.is_directory(ignored)) return true;
  }
  return false;
}

void require_gpu(std::int64_t index) {
  const std::optional<CudaDriver> driver = ask_cuda_driver();
  if (driver && index < static_cast<std::int64_t>(driver->devices.size())) return;
  std::string found = "this machine has no GPU driver (libcuda.so.1)";
  if (driver) {
    found = driver->devices.empty() ? driver->problem
                                    : fmt::format("this machine has {}: {}", driver->devices.size(),
                                                  fmt::join(driver->devices, ", "));
  }
  throw UsageError(
      fmt::format("device: cuda:{} was requested, but {}. Without a GPU, use `--dry h100-80gb`, a simulated "
                  "device that computes nothing; `strata devices` lists the cards that it can simulate",
                  index, found));
}

}  // namespace strata::cli
