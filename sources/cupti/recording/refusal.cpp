// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/recording/refusal.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string_view>

#include "strata/dry_gpu.h"

namespace strata::cupti {
namespace {

// Tools that leave a trace in the environment or among the mapped files of programs that they start.
struct Tool {
  std::string_view trace;
  std::string_view name;
};

constexpr std::array kVariables = {
    Tool{"NSYS_PROFILING_SESSION_ID", "Nsight Systems (nsys)"},
};
constexpr std::array kFiles = {
    Tool{"libToolsInjection", "Nsight Systems (nsys)"},
    Tool{"libcuda-injection", "Nsight Compute (ncu)"},
    Tool{"libTreeLauncherTargetInjection", "Nsight Compute (ncu)"},
    Tool{"libsanitizer-collection", "Compute Sanitizer"},
};
constexpr std::array kKineto = {Tool{"libtorch_cpu.so", "torch.profiler (Kineto)"}};

// The first of `tools` identified by a mapped file; empty if there is none.
std::string_view mapped_tool(std::span<const Tool> tools) {
  struct Search {
    std::span<const Tool> tools;
    std::string_view found;
  } search{tools, {}};
  const auto visit = [](dl_phdr_info* info, std::size_t, void* argument) {
    auto& wanted = *static_cast<Search*>(argument);
    const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
    for (const Tool& tool : wanted.tools) {
      if (path.find(tool.trace) == std::string_view::npos) continue;
      wanted.found = tool.name;
      return 1;
    }
    return 0;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

std::string_view tool_around() {
  for (const Tool& tool : kVariables) {
    if (secure_getenv(tool.trace.data()) != nullptr) return tool.name;
  }
  return mapped_tool(kFiles);
}

// The driver's, by their documented C signatures.
using CuInit = int (*)(unsigned flags);
using CuGetErrorName = int (*)(int error, const char** name);

std::string driver_problem() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return "this machine has no GPU driver (libcuda.so.1)";
  const auto initialise = reinterpret_cast<CuInit>(dlsym(driver, "cuInit"));
  const auto name_of = reinterpret_cast<CuGetErrorName>(dlsym(driver, "cuGetErrorName"));
  if (initialise == nullptr) return "libcuda.so.1 is not a GPU driver";
  const int error = initialise(0);
  if (error == 0) return {};
  const char* name = nullptr;
  if (name_of != nullptr) name_of(error, &name);
  return "the GPU driver does not start: " + std::to_string(error) +
         (name == nullptr ? std::string() : " (" + std::string(name) + ')');
}

constexpr std::array kUnavailable = {CUPTI_ERROR_UNKNOWN, CUPTI_ERROR_NOT_INITIALIZED,
                                     CUPTI_ERROR_INVALID_DEVICE, CUPTI_ERROR_NOT_SUPPORTED,
                                     CUPTI_ERROR_INSUFFICIENT_PRIVILEGES};

}  // namespace

bool is_busy(CUptiResult result) {
  return result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}

std::string describe_holder(const std::string& name) {
  const std::string_view tool = tool_around();
  if (!name.empty() || !tool.empty()) {
    return "'" + (name.empty() ? std::string(tool) : name) +
           "' uses CUPTI, which allows only one tool at a time; start the program without it to record here";
  }
  if (!mapped_tool(kKineto).empty()) {
    return "another tool in this process uses CUPTI, which allows only one at a time: most likely "
           "torch.profiler (Kineto), which keeps it once it has run; remove it from the program to record "
           "here";
  }
  return "another tool uses CUPTI, which allows only one at a time; start the program without it to record "
         "here";
}

std::string describe_refusal(const Library& library, CUptiResult result) {
  const std::string text = text_of(library.functions, result);
  if (std::ranges::find(kUnavailable, result) == kUnavailable.end())
    return "CUPTI refuses a subscription: " + text;
  if (const std::string problem = driver_problem(); !problem.empty()) {
    return problem + "; no device activity is recorded (CUPTI reports " + text + ")";
  }
  return "CUPTI does not work with this machine's driver: " + text +
         ". It needs a driver of the same release or later (`nvidia-smi` shows the installed one), and "
         "permission to trace the device";
}

std::string describe_dry(const Library& library) {
  if (!library.is_dry) return {};
  const auto count = reinterpret_cast<decltype(&strata_dry_gpu_count_modelled)>(
      dlsym(library.handle, "strata_dry_gpu_count_modelled"));
  std::array<strata_dry_gpu_modelled, STRATA_DRY_GPU_MODELS> by_model{};
  if (count(by_model.data()) != 0) return {};
  return "the dry GPU has no clock, so there is nothing to record: add --clock modelled (device: {dry: ..., "
         "clock: modelled})";
}

}  // namespace strata::cupti
