// SPDX-License-Identifier: Apache-2.0
// A shared object that contains plugins: opened, checked, and never closed.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "strata/entry.h"

namespace strata {

// Why a file is not a plugin for this host. The message contains the file, what was found and the remedy.
class PluginRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class PluginFile {
 public:
  // Opens the file with RTLD_NOW | RTLD_LOCAL, finds strata_plugin_entry and compares versions. Runs no
  // plugin code except static initialisers, `count` and `descriptor`. Throws PluginRefused.
  explicit PluginFile(std::filesystem::path path);

  const std::filesystem::path& path() const noexcept { return path_; }
  const strata_entry& entry() const noexcept { return *entry_; }
  const std::vector<const strata_descriptor*>& descriptors() const noexcept { return descriptors_; }
  // Null if the file contains no plugin with that id.
  const strata_descriptor* descriptor(std::string_view id) const noexcept;

  // Calls the entry's `init`, once per object. Returns the plugin's reason if it failed, else "". An
  // exception of `init` passes through, the first time.
  const std::string& initialise();
  // Calls the entry's `deinit` if `initialise` succeeded. Its exceptions pass through.
  void deinitialise();

 private:
  enum class State { kOpened, kInitialised, kFailed };

  std::filesystem::path path_;
  const strata_entry* entry_ = nullptr;
  std::vector<const strata_descriptor*> descriptors_;
  State state_ = State::kOpened;
  std::string init_failure_;
};

}  // namespace strata
