// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "host/cli/doctor/check.hpp"

namespace strata::cli {
namespace {

constexpr std::uint64_t kLittleMemory = std::uint64_t{2} << 30;
constexpr rlim_t kFewFiles = 512;

Finding check_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int usable = sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
  return {.name = "cores", .detail = fmt::format("{} usable of {}", usable, sysconf(_SC_NPROCESSORS_CONF))};
}

// The value of the first line "<key> ...: <value>" of a file of /proc.
std::string proc_value(const char* file, std::string_view key) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    const auto colon = line.find(':');
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 1);
  }
  return {};
}

Finding check_instruction_sets() {
  std::istringstream flags(proc_value("/proc/cpuinfo", "flags") + proc_value("/proc/cpuinfo", "Features"));
  std::string found;
  for (std::string flag; flags >> flag;) {
    const bool shown = flag == "avx2" || flag == "avx512f" || flag == "amx_bf16" || flag == "avx512_bf16" ||
                       flag == "asimd" || flag == "sve";
    if (shown) found += (found.empty() ? "" : ", ") + flag;
  }
  if (!found.empty()) return {.name = "vector instructions", .detail = found};
  return {.name = "vector instructions",
          .verdict = Verdict::kWarning,
          .detail = "none for which LibTorch has fast kernels",
          .remedy = "expect slow steps; sizes are not affected"};
}

Finding check_memory() {
  std::istringstream available_kib(proc_value("/proc/meminfo", "MemAvailable"));
  std::uint64_t kib = 0;
  available_kib >> kib;
  Finding finding{.name = "memory", .detail = fmt::format("{} MiB available", kib >> 10)};
  if (kib << 10 < kLittleMemory) {
    finding.verdict = Verdict::kWarning;
    finding.remedy = "use a smaller model or batch, or the kernel may end the run";
  }
  return finding;
}

std::string limit_text(rlim_t limit) {
  return limit == RLIM_INFINITY ? "unlimited" : fmt::format("{}", limit);
}

Finding check_limit(const char* name, decltype(RLIMIT_NOFILE) resource, rlim_t enough, const char* remedy) {
  rlimit limit{};
  getrlimit(resource, &limit);
  Finding finding{.name = name, .detail = limit_text(limit.rlim_cur)};
  if (limit.rlim_cur < enough) {
    finding.verdict = Verdict::kWarning;
    finding.remedy = remedy;
  }
  return finding;
}

}  // namespace

Findings check_machine() {
  return {check_cores(),
          check_instruction_sets(),
          check_memory(),
          check_limit("limit of open files", RLIMIT_NOFILE, kFewFiles, "raise it: ulimit -n 4096"),
          check_limit("limit of file size", RLIMIT_FSIZE, RLIM_INFINITY,
                      "lift it, or a run store may be cut short: ulimit -f unlimited"),
          check_limit("limit of address space", RLIMIT_AS, RLIM_INFINITY,
                      "lift it, LibTorch maps many gigabytes: ulimit -v unlimited")};
}

}  // namespace strata::cli
