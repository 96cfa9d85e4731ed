// SPDX-License-Identifier: Apache-2.0
#include "host/cli/torch_libraries.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "host/cli/usage_error.hpp"
#include "strata/runtime/torch_release.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

// "2.11.0" of "2.11.0+cu130".
std::string number_of(const std::string& version) {
  return version.substr(0, version.find('+'));
}

// The releases that parts of this Strata were built for, its own build's first.
std::vector<std::string> supported_releases() {
  std::vector<std::string> releases{STRATA_TORCH_VERSION};
  for (const fs::path& folder : other_torch_folders())
    releases.push_back(folder.filename().string().substr(std::string_view("torch-").size()));
  return releases;
}

std::string remedy() {
  const std::vector<std::string> releases = supported_releases();
  return fmt::format(
      "Install torch {} where python3 finds it (pip install torch=={}), or set {} to the folder of that "
      "torch, which contains lib/libtorch_cpu.so",
      fmt::join(releases, ", "), releases.back(), kTorchRootVariable);
}

// The folder from which python3 would import torch; importing it would take a second.
fs::path torch_of_python() {
  constexpr const char* kQuestion =
      "python3 -c \"import importlib.util as u; s = u.find_spec('torch'); "
      "print(list(s.submodule_search_locations)[0] if s else '')\" 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> answer(popen(kQuestion, "re"), &pclose);
  if (answer == nullptr) return {};
  std::string text;
  std::array<char, 512> part{};
  while (std::fgets(part.data(), part.size(), answer.get()) != nullptr) text += part.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

bool holds_torch(const fs::path& root) {
  return fs::exists(root / "lib" / "libtorch_cpu.so");
}

void require_release(const TorchPlace& place) {
  const std::vector<std::string> releases = supported_releases();
  if (place.release.empty() || std::ranges::find(releases, place.release) != releases.end()) return;
  throw UsageError(
      fmt::format("this Strata has no trainer for torch {}, found by {} in {}: torch's C++ ABI differs "
                  "between releases, and Strata was built for {}. {}",
                  place.release, place.found_by, place.root.string(), fmt::join(releases, ", "), remedy()));
}

TorchPlace place_at(const fs::path& root, std::string found_by) {
  return {.root = root, .found_by = std::move(found_by), .release = number_of(torch_version(root))};
}

TorchPlace place_of_torch() {
  if (const char* const named = std::getenv(kTorchRootVariable); named != nullptr && *named != '\0') {
    if (holds_torch(named)) return place_at(named, kTorchRootVariable);
    throw UsageError(
        fmt::format("{}={}: this folder has no lib/libtorch_cpu.so. Name the `torch` folder of a wheel, or "
                    "an unpacked LibTorch, of torch {}",
                    kTorchRootVariable, named, fmt::join(supported_releases(), ", ")));
  }
  const fs::path root = torch_of_python();
  if (!root.empty() && holds_torch(root)) return place_at(root, "python3");
  throw UsageError(
      fmt::format("LibTorch was not found: {} is not set, and the python3 in PATH has no torch. {}",
                  kTorchRootVariable, remedy()));
}

}  // namespace

bool names_torch() {
  const char* const named = std::getenv(kTorchRootVariable);
  return named != nullptr && *named != '\0';
}

TorchPlace find_torch() {
  TorchPlace place = place_of_torch();
  require_release(place);
  return place;
}

fs::path part_for_torch(const TorchPlace& place, const fs::path& part) {
  if (place.release.empty() || place.release == STRATA_TORCH_VERSION) return part;
  return part.parent_path() / ("torch-" + place.release) / part.filename();
}

void open_torch(const TorchPlace& place, const std::vector<std::string>& libraries) {
  for (const std::string& library : libraries) {
    const fs::path file = place.root / "lib" / library;
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) continue;
    throw UsageError(
        fmt::format("LibTorch, found by {}, cannot be opened: {}. {}", place.found_by, dlerror(), remedy()));
  }
}

std::vector<PluginDescription> sources_with_torch() {
  std::vector<PluginDescription> sources = available_sources();
  if (std::ranges::all_of(sources, &std::string::empty, &PluginDescription::refused)) return sources;
  try {
    open_torch(find_torch(), {"libc10.so", "libtorch_cpu.so"});
  } catch (const UsageError&) {
    return sources;  // each reports why it was rejected
  }
  return available_sources();
}

}  // namespace strata::cli
