// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/api/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace strata::cupti {
namespace {

constexpr const char* kSoname = "libcupti.so.13";
constexpr std::uint32_t kMajor = 13;

std::string last_problem() {
  const char* const problem = dlerror();
  return problem == nullptr ? "it cannot be opened" : problem;
}

void* open_file(const std::string& file) {
  if (!file.empty()) {
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw std::runtime_error("library: " + last_problem());
    return handle;
  }
  if (void* const handle = dlopen(kSoname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); handle != nullptr)
    return handle;
  if (void* const handle = dlopen(kSoname, RTLD_NOW | RTLD_LOCAL); handle != nullptr) return handle;
  std::string text = std::string("no ") + kSoname + " is loaded or found: " + last_problem() +
                     ". It comes with CUDA 13, and with a torch built for it; if it is elsewhere, name the "
                     "file with the option `library`";
  const std::vector<std::string> others = mapped_libraries();
  if (!others.empty()) text += ". " + others.front() + " is loaded, but it is not from CUDA 13";
  throw std::runtime_error(text);
}

std::string path_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) == 0 || info.dli_fname == nullptr ? std::string() : info.dli_fname;
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

Library open_library(const std::string& file) {
  Library library;
  library.handle = open_file(file);
  const std::string asked_for = file.empty() ? kSoname : file;
  try {
    library.functions = find_functions(library.handle);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(asked_for + " is not CUPTI: " + error.what());
  }
  library.path = path_of(reinterpret_cast<const void*>(library.functions.cuptiGetVersion));
  library.is_dry = dlsym(library.handle, "strata_dry_gpu_count_modelled") != nullptr;
  // Before 13, versions count up from 1: 12.9's is 28.
  if (library.functions.cuptiGetVersion(&library.version) != CUPTI_SUCCESS ||
      library.version / 10000 != kMajor) {
    throw std::runtime_error(library.path + " is CUPTI version " + std::to_string(library.version) +
                             "; Strata reads only the records of CUDA 13 (version 130000 and up)");
  }
  return library;
}

std::vector<std::string> mapped_libraries() {
  std::vector<std::string> paths;
  const auto visit = [](dl_phdr_info* info, std::size_t, void* argument) {
    const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
    const std::string_view name = file_name(path);
    if (name.starts_with("libcupti.so") || name.starts_with("libcupti-"))
      static_cast<std::vector<std::string>*>(argument)->emplace_back(path);
    return 0;
  };
  dl_iterate_phdr(visit, &paths);
  std::ranges::sort(paths);
  return paths;
}

}  // namespace strata::cupti
