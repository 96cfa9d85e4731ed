// SPDX-License-Identifier: Apache-2.0
#include "host/cli/torch_build/torch_install.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "host/cli/usage_error.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersionHeader = "include/torch/headeronly/version.h";

// From a line such as "#define TORCH_VERSION_MINOR 15".
std::optional<unsigned> defined_number(const fs::path& header, const std::string& name) {
  std::ifstream stream(header);
  const std::string opening = "#define " + name + ' ';
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(opening))
      return static_cast<unsigned>(std::strtoul(line.c_str() + opening.size(), nullptr, 10));
  }
  return std::nullopt;
}

void add_environment_folder(const char* variable, std::vector<fs::path>& folders) {
  if (const char* const value = std::getenv(variable); value != nullptr && *value != '\0')
    folders.push_back(fs::path(value) / "include");
}

std::vector<fs::path> cuda_includes(const fs::path& root) {
  std::vector<fs::path> folders;
  std::error_code error;
  // The layout of PyPI's wheels next to torch.
  for (const auto& entry : fs::directory_iterator(root.parent_path() / "nvidia", error))
    if (fs::is_directory(entry.path() / "include", error)) folders.push_back(entry.path() / "include");
  std::ranges::sort(folders);
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"})
    add_environment_folder(variable, folders);
  folders.emplace_back("/usr/local/cuda/include");
  std::erase_if(folders, [&](const fs::path& folder) { return !fs::is_directory(folder, error); });
  return folders;
}

}  // namespace

TorchInstall torch_install(const fs::path& root) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(root, error);
  const fs::path header = folder / kVersionHeader;
  const auto major = defined_number(header, "TORCH_VERSION_MAJOR");
  const auto minor = defined_number(header, "TORCH_VERSION_MINOR");
  const auto patch = defined_number(header, "TORCH_VERSION_PATCH");
  if (!major || !minor || !patch || !fs::exists(folder / "lib/libtorch_cpu.so", error)) {
    throw UsageError(fmt::format(
        "{}: no torch with headers (looked for {} and lib/libtorch_cpu.so). Name the folder that `python -c "
        "'import torch; print(torch.__path__[0])'` prints; torch 2.11 is the oldest supported release",
        folder.string(), kVersionHeader));
  }
  TorchInstall install{.release = torch_release(folder, fmt::format("{}.{}.{}", *major, *minor, *patch)),
                       .has_cuda = fs::exists(folder / "lib/libc10_cuda.so", error),
                       .includes = {folder / "include", folder / "include/torch/csrc/api/include"}};
  if (!install.has_cuda) return install;
  const std::vector<fs::path> cuda = cuda_includes(folder);
  const auto has_runtime = [&](const fs::path& path) {
    return fs::exists(path / "cuda_runtime_api.h", error);
  };
  if (std::ranges::none_of(cuda, has_runtime)) {
    throw UsageError(fmt::format(
        "{} was built with CUDA, but CUDA's headers are missing (cuda_runtime_api.h, searched for in "
        "nvidia/*/include next to it, CUDA_HOME, CONDA_PREFIX and /usr/local/cuda). Install them with `pip "
        "install nvidia-cuda-runtime nvidia-cuda-crt`, or install a CUDA toolkit",
        folder.string()));
  }
  install.includes.insert(install.includes.end(), cuda.begin(), cuda.end());
  return install;
}

}  // namespace strata::cli
