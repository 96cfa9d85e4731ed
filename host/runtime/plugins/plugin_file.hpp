// SPDX-License-Identifier: Apache-2.0
// One shared object that holds plugins: opened, checked, and never closed.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "strata/entry.h"

namespace strata {

// Why a file is no plugin of this host. The message names the file, what was found and the remedy.
class PluginRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class PluginFile {
 public:
  // Opens the file with RTLD_NOW | RTLD_LOCAL, finds strata_plugin_entry and compares versions. Runs no code
  // of the plugin but its static initialisers and `count` and `descriptor`. Throws PluginRefused.
  explicit PluginFile(std::filesystem::path path);

  const std::filesystem::path& path() const noexcept { return path_; }
  const strata_entry& entry() const noexcept { return *entry_; }
  const std::vector<const strata_descriptor*>& descriptors() const noexcept { return descriptors_; }
  // Null when the file holds no plugin with that id.
  const strata_descriptor* descriptor(std::string_view id) const noexcept;

  // Calls the entry's `init`, once for each object. Returns the plugin's reason when it failed, else "".
  // Throws what `init` threw, the first time.
  const std::string& initialise();
  // Calls the entry's `deinit`, if `initialise` succeeded. Throws what that throws.
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
