// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <string>
#include <vector>

#include "host/cli/cuda_driver.hpp"
#include "host/cli/doctor/check.hpp"

namespace strata::cli {
namespace {

bool is_readable(const char* file) {
  std::ifstream in(file);
  return in.good() && in.peek() != std::ifstream::traits_type::eof();
}

// A device's activities come from a driver: without one there is no context to make either.
bool has_devices() {
  const auto driver = ask_cuda_driver();
  return driver && !driver->devices.empty();
}

}  // namespace

Findings check_warm_up() {
  Finding finding{.name = "warm-up analysis"};
  std::vector<std::string> seen{"page faults", "threads", "libraries", "programs", "first calls", "phases"};
  if (is_readable("/proc/thread-self/schedstat")) {
    seen.emplace_back("waiting for a processor");
  } else {
    finding.verdict = Verdict::kWarning;
    finding.remedy =
        "use a Linux kernel with CONFIG_SCHED_INFO to see how long steps wait for a processor; without it "
        "that time is unattributed";
  }
  finding.detail = fmt::format(
      "{}; device causes (context, modules, kernels, JIT): {}", fmt::join(seen, ", "),
      has_devices() ? "recorded where CUPTI reports activities" : "none, because there is no device here");
  return {finding};
}

}  // namespace strata::cli
