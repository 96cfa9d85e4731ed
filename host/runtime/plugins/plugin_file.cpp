// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/plugins/plugin_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "strata/version.h"

namespace strata {
namespace {

// More than any file holds: a `count` beyond it is a broken plugin's.
constexpr std::uint32_t kMaximumPluginsInFile = 64;

const strata_entry* find_entry(const std::filesystem::path& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* cause = dlerror();
    throw PluginRefused(fmt::format("cannot be opened: {}", cause == nullptr ? "unknown cause" : cause));
  }
  const auto* entry = static_cast<const strata_entry*>(dlsym(handle, STRATA_ENTRY_SYMBOL));
  if (entry == nullptr) {
    throw PluginRefused(
        fmt::format("{} does not export {}: it is not a plugin, or it was linked without STRATA_EXPORT",
                    path.string(), STRATA_ENTRY_SYMBOL));
  }
  return entry;
}

void check_version(const std::filesystem::path& path, const strata_entry& entry) {
  if (entry.abi_major != STRATA_ABI_MAJOR) {
    throw PluginRefused(
        fmt::format("{} was built for plugin ABI {}.{}, but this host has {}.{}; build it against this "
                    "host's headers (the major versions must be equal)",
                    path.string(), entry.abi_major, entry.abi_minor, STRATA_ABI_MAJOR, STRATA_ABI_MINOR));
  }
  if (!STRATA_HAS_FIELD(strata_entry, &entry, create) || entry.init == nullptr || entry.deinit == nullptr ||
      entry.count == nullptr || entry.descriptor == nullptr || entry.create == nullptr) {
    throw PluginRefused(
        fmt::format("{}: strata_plugin_entry is incomplete: struct_size is {}, ABI 1.0 has {} bytes, and no "
                    "function may be null",
                    path.string(), entry.struct_size, sizeof(strata_entry)));
  }
}

std::string defect_of(const strata_descriptor* descriptor) {
  if (descriptor == nullptr) return "is null";
  if (!STRATA_HAS_FIELD(strata_descriptor, descriptor, option_count)) {
    return fmt::format("has struct_size {}, ABI 1.0 has {} bytes", descriptor->struct_size,
                       sizeof(strata_descriptor));
  }
  if (descriptor->id == nullptr || descriptor->version == nullptr || descriptor->summary == nullptr) {
    return "has no id, no version or no summary";
  }
  const std::string_view id = descriptor->id;
  if (id.empty() || id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string_view::npos) {
    return fmt::format("has the id '{}'; ids must match [a-z0-9_]+", id);
  }
  if (descriptor->options == nullptr && descriptor->option_count != 0)
    return fmt::format("declares {} options, but has no list of them", descriptor->option_count);
  for (std::uint32_t i = 0; i < descriptor->option_count; ++i) {
    const strata_option& option = descriptor->options[i];
    if (option.key == nullptr || option.default_text == nullptr || option.help == nullptr) {
      return fmt::format("has an option (number {}) without key, default or help", i + 1);
    }
  }
  return "";
}

}  // namespace

PluginFile::PluginFile(std::filesystem::path path) : path_(std::move(path)), entry_(find_entry(path_)) {
  check_version(path_, *entry_);
  const std::uint32_t count = entry_->count();
  if (count == 0 || count > kMaximumPluginsInFile) {
    throw PluginRefused(fmt::format("{} declares {} plugins", path_.string(), count));
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const strata_descriptor* descriptor = entry_->descriptor(i);
    if (const std::string defect = defect_of(descriptor); !defect.empty()) {
      throw PluginRefused(fmt::format("{}: descriptor {} {}", path_.string(), i, defect));
    }
    descriptors_.push_back(descriptor);
  }
}

const strata_descriptor* PluginFile::descriptor(std::string_view id) const noexcept {
  for (const strata_descriptor* candidate : descriptors_) {
    if (candidate->id == id) return candidate;
  }
  return nullptr;
}

const std::string& PluginFile::initialise() {
  if (state_ != State::kOpened) return init_failure_;
  state_ = State::kFailed;
  init_failure_ = "init threw an exception across the ABI";  // unless it returns
  std::array<char, 512> reason{};
  const std::int32_t result = entry_->init(path_.c_str(), reason.data(), reason.size());
  reason.back() = '\0';
  init_failure_.clear();
  if (result == 0) {
    state_ = State::kInitialised;
  } else {
    init_failure_ =
        reason.front() != '\0' ? reason.data() : fmt::format("init returned {} and gave no reason", result);
  }
  return init_failure_;
}

void PluginFile::deinitialise() {
  if (state_ != State::kInitialised) return;
  state_ = State::kOpened;
  entry_->deinit();
}

}  // namespace strata
