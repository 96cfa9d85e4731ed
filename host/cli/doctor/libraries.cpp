// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "host/cli/doctor/check.hpp"
#include "host/cli/torch_libraries.hpp"
#include "host/cli/training/trainer_library.hpp"
#include "strata/runtime/catalogue.hpp"
#include "strata/runtime/torch_release.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

Finding check_trainer() {
  try {
    return {.name = "trainer", .detail = load_trainer().library.string(), .needed = true};
  } catch (const std::exception& error) {
    return {.name = "trainer",
            .verdict = Verdict::kMissing,
            .detail = error.what(),
            .remedy = fmt::format("put a python3 with torch first in PATH, or set {}; in a checkout, `./dev "
                                  "build` fetches LibTorch and builds the trainer",
                                  kTorchRootVariable),
            .needed = true};
  }
}

// The file of a library that this process has loaded; empty when it has not.
fs::path loaded_library(std::string_view file_name) {
  struct Search {
    std::string_view file_name;
    fs::path found;
  } search{file_name, {}};
  const auto visit = [](dl_phdr_info* info, std::size_t, void* argument) {
    auto& wanted = *static_cast<Search*>(argument);
    const fs::path path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
    if (path.filename() != wanted.file_name) return 0;
    wanted.found = path;
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

Finding check_torch() {
  const fs::path library = loaded_library("libtorch_cpu.so");
  if (library.empty()) {
    return {.name = "torch",
            .verdict = Verdict::kMissing,
            .detail = "not loaded, because the trainer is not",
            .remedy = "see trainer",
            .needed = true};
  }
  std::error_code error;
  const fs::path root = fs::weakly_canonical(library, error).parent_path().parent_path();
  const std::string version = torch_version(root);
  return {.name = "torch",
          .detail = fmt::format("{} in {}", version.empty() ? "unknown version" : version, root.string()),
          .needed = true};
}

Finding check_entry(const PluginDescription& entry) {
  Finding finding{.name = fmt::format("{} {}", entry.source ? "source" : "plugin", entry.id),
                  .detail = fmt::format("{}, {}", entry.version, entry.path.string())};
  if (!entry.refused.empty()) {
    finding.verdict = Verdict::kWarning;
    finding.detail = entry.refused;
    finding.remedy = fmt::format("rebuild or remove {}", entry.path.string());
  }
  return finding;
}

// Which releases of torch a program under `strata exec` may have.
Finding check_torch_releases() {
  const std::vector<std::string> brought = shipped_torches();
  std::vector<std::string> built_here = built_torches();
  // By another Strata of this user, which brought fewer.
  std::erase_if(built_here,
                [&](const std::string& torch) { return std::ranges::find(brought, torch) != brought.end(); });
  const std::string shipped = fmt::format("{}", fmt::join(brought, ", "));
  const std::string built = fmt::format("{}", fmt::join(built_here, ", "));
  if (shipped.empty() && built.empty()) {
    return {
        .name = "torch releases",
        .verdict = Verdict::kWarning,
        .detail = "no release of torch can be recorded yet",
        .remedy =
            "build support for one with `strata build-source TORCH`; `strata exec` also does so by itself"};
  }
  std::string detail = "strata exec records " + (shipped.empty() ? built + " (built here)" : shipped);
  if (!shipped.empty() && !built.empty()) detail += fmt::format(", and {} (built here)", built);
  return {.name = "torch releases",
          .detail = detail + "; support for other releases from 2.11 on is built when needed"};
}

// Parts compiled by torch.compile cannot be observed.
Finding check_compiled_programs() {
  return {.name = "torch.compile",
          .detail =
              "memory, owners, steps and phases are recorded; the operators and modules inside a compiled "
              "program appear as one range, and an optimizer's first compiled step has no duration"};
}

}  // namespace

Findings check_libraries() {
  Findings findings{check_trainer(), check_torch(), check_torch_releases(), check_compiled_programs()};
  for (const PluginDescription& plugin : available_plugins()) findings.push_back(check_entry(plugin));
  bool has_torch_source = false;
  for (const PluginDescription& source : sources_with_torch()) {
    findings.push_back(check_entry(source));
    has_torch_source |= source.id == "torch";
  }
  if (!has_torch_source) {
    findings.push_back({.name = "source torch",
                        .verdict = Verdict::kWarning,
                        .detail = "not found: runs with plugins will be refused",
                        .remedy = "build Strata with LibTorch (`./dev build`)"});
  }
  return findings;
}

}  // namespace strata::cli
