// SPDX-License-Identifier: Apache-2.0
#include "plugins/warmup_analyzer/library_log.hpp"

#include <link.h>

#include <vector>

namespace strata::warmup_analyzer {
namespace {

// Names of the libraries that are mapped. The loader's lock is held meanwhile: only names are taken.
std::vector<std::string> mapped_names() {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* list) {
        if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0')
          static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
        return 0;
      },
      &names);
  return names;
}

}  // namespace

std::uint64_t libraries_mapped() noexcept {
  std::uint64_t count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* adds) {
        *static_cast<std::uint64_t*>(adds) = info->dlpi_adds;
        return 1;  // each of them knows
      },
      &count);
  return count;
}

void LibraryLog::begin() {
  seen_ = libraries_mapped();
  for (std::string& name : mapped_names()) known_.insert(std::move(name));
}

void LibraryLog::note_new(const strata_when& when, std::uint64_t mapped) {
  if (mapped == seen_) return;
  seen_ = mapped;
  for (std::string& name : mapped_names()) {
    const std::uint32_t path = known_.contains(name) ? 0 : table_.intern(name);
    if (path == 0) continue;
    table_.append(
        {.sequence = when.sequence, .monotonic_ns = when.monotonic_ns, .path = path, .reserved = 0});
    known_.insert(std::move(name));
  }
}

}  // namespace strata::warmup_analyzer
