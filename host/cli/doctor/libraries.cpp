#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <exception>
#include <fstream>
#include <string>

#include "host/cli/doctor/check.hpp"
#include "host/cli/trainer_library.hpp"
#include "strata/runtime/catalogue.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

Finding check_trainer() {
  try {
    load_trainer();
    return {.name = "trainer", .detail = trainer_library_path().string(), .needed = true};
  } catch (const std::exception& error) {
    return {.name = "trainer",
            .verdict = Verdict::kMissing,
            .detail = error.what(),
            .remedy = "`./dev build` fetches LibTorch and builds the trainer",
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

// A wheel says its version in version.py, an unpacked LibTorch in build-version; empty when neither is there.
std::string torch_version(const fs::path& root) {
  std::string line;
  std::ifstream wheel(root / "version.py");
  while (std::getline(wheel, line)) {
    const auto from = line.find('\'');
    const auto to = line.rfind('\'');
    if (line.starts_with("__version__") && from < to) return line.substr(from + 1, to - from - 1);
  }
  std::ifstream unpacked(root / "build-version");
  return std::getline(unpacked, line) ? line : std::string();
}

Finding check_torch() {
  const fs::path library = loaded_library("libtorch_cpu.so");
  if (library.empty()) {
    return {.name = "torch",
            .verdict = Verdict::kMissing,
            .detail = "not loaded, since the trainer is not",
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

}  // namespace

Findings check_libraries() {
  Findings findings{check_trainer(), check_torch()};
  for (const PluginDescription& plugin : available_plugins()) findings.push_back(check_entry(plugin));
  bool has_torch_source = false;
  for (const PluginDescription& source : available_sources()) {
    findings.push_back(check_entry(source));
    has_torch_source |= source.id == "torch";
  }
  if (!has_torch_source) {
    findings.push_back({.name = "source torch",
                        .verdict = Verdict::kWarning,
                        .detail = "not found: runs with plugins would be refused",
                        .remedy = "build Strata with LibTorch (`./dev build`)"});
  }
  return findings;
}

}  // namespace strata::cli
