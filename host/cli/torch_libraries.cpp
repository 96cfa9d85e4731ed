// SPDX-License-Identifier: Apache-2.0
#include "host/cli/torch_libraries.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "host/cli/commands.hpp"
#include "strata/runtime/torch_release.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy =
    "Install it where python3 finds it (pip install torch=={0}), or set STRATA_TORCH_ROOT to the folder that "
    "has "
    "lib/libtorch_cpu.so of torch {0}";

std::string remedy() {
  return fmt::format(fmt::runtime(kRemedy), STRATA_TORCH_VERSION);
}

// Where python3 would import torch from; importing it would take a second.
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

void require_release(const fs::path& root) {
  const std::string version = torch_version(root);
  const std::string release = version.substr(0, version.find('+'));
  if (release.empty() || release == STRATA_TORCH_VERSION) return;
  throw UsageError(fmt::format(
      "torch {} in {} is not the one that this Strata was built for, {}, and torch's C++ ABI differs "
      "between releases. {}",
      release, root.string(), STRATA_TORCH_VERSION, remedy()));
}

TorchPlace place_of_torch() {
  if (const char* const named = std::getenv(kTorchRootVariable); named != nullptr && *named != '\0') {
    if (holds_torch(named)) return {.root = named, .found_by = kTorchRootVariable};
    throw UsageError(
        fmt::format("{}={}: there is no lib/libtorch_cpu.so in it. Name the `torch` folder of a wheel, or an "
                    "unpacked LibTorch, of torch {}",
                    kTorchRootVariable, named, STRATA_TORCH_VERSION));
  }
  const fs::path root = torch_of_python();
  if (!root.empty() && holds_torch(root)) return {.root = root, .found_by = "python3"};
  throw UsageError(
      fmt::format("there is no LibTorch: {} is not set, and the python3 in PATH has no torch. {}",
                  kTorchRootVariable, remedy()));
}

}  // namespace

bool names_torch() {
  const char* const named = std::getenv(kTorchRootVariable);
  return named != nullptr && *named != '\0';
}

TorchPlace find_torch() {
  TorchPlace place = place_of_torch();
  require_release(place.root);
  return place;
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
    return sources;  // which say why they are refused
  }
  return available_sources();
}

}  // namespace strata::cli
