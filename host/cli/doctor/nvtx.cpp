// SPDX-License-Identifier: Apache-2.0
// Checks the options of the plugin nvtx_markers in a run started in the same way as this program.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "host/cli/cuda_driver.hpp"
#include "host/cli/doctor/check.hpp"
#include "strata/runtime/catalogue.hpp"

namespace strata::cli {
namespace {

constexpr const char* kPlugin = "nvtx_markers";

// As in NVTX itself: empty counts as unset.
std::string_view environment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

Finding check_tool() {
  const std::string_view path = environment("NVTX_INJECTION64_PATH");
  const std::string_view session = environment("NSYS_PROFILING_SESSION_ID");
  if (path.empty()) {
    return {.name = "NVTX tool",
            .verdict = Verdict::kMissing,
            .detail = session.empty() ? "no tool listens to this process: nvtx_markers would mark nothing"
                                      : "Nsight Systems records this process, but not its NVTX ranges",
            .remedy = session.empty()
                          ? "none needed; to mark ranges, start the run with nsys profile (docs/nsys.md)"
                          : "nsys profile --trace=nvtx"};
  }
  if (access(std::string(path).c_str(), R_OK) != 0) {
    return {.name = "NVTX tool",
            .verdict = Verdict::kWarning,
            .detail = fmt::format("NVTX_INJECTION64_PATH names {}, which cannot be read", path),
            .remedy = "unset it, or set it to the full path of a tool's library"};
  }
  if (session.empty()) return {.name = "NVTX tool", .detail = std::string(path)};
  return {.name = "NVTX tool", .detail = fmt::format("Nsight Systems, session {}: {}", session, path)};
}

Finding check_memory_marks(const PluginDescription& plugin) {
  Finding finding{.name = "NVTX memory", .detail = "counters if the tool supports them, otherwise marks"};
  const auto memory = std::ranges::find(plugin.options, "memory", &OptionDescription::key);
  const bool counters =
      memory != plugin.options.end() && memory->expectation.find("counters") != std::string::npos;
  if (counters) return finding;
  finding.verdict = Verdict::kWarning;
  finding.detail = "marks only: nvtx_markers was built with NVTX headers that have no counters";
  finding.remedy = "for counters, build with the headers of CUDA 13 or later (torch's wheel installs them)";
  return finding;
}

Finding check_capture() {
  const std::optional<CudaDriver> driver = ask_cuda_driver();
  if (driver && !driver->devices.empty())
    return {.name = "NVTX capture", .detail = "capture: nvtx and capture: cuda_profiler_api"};
  return {.name = "NVTX capture",
          .detail = "capture: nvtx; without a CUDA device capture: cuda_profiler_api captures nothing"};
}

}  // namespace

Findings check_nvtx() {
  const std::vector<PluginDescription> plugins = available_plugins();
  const auto plugin = std::ranges::find(plugins, kPlugin, &PluginDescription::id);
  if (plugin == plugins.end()) {
    return {{.name = "NVTX",
             .verdict = Verdict::kMissing,
             .detail = "the plugin nvtx_markers is missing: this build found no NVTX headers",
             .remedy = "build with the CUDA wheel of torch, which installs them"}};
  }
  return {check_tool(), check_memory_marks(*plugin), check_capture()};
}

}  // namespace strata::cli
