// SPDX-License-Identifier: Apache-2.0
// Turns the plugin names of a configuration into started plugins.
//
// First it checks everything that needs no plugin code: files are found and opened; versions, descriptors and
// options are checked; all problems are reported at once. Only then it calls `init` and `create`, which may
// fail without harm.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/runtime/plugins/host_handle.hpp"
#include "host/runtime/plugins/load_report.hpp"
#include "host/runtime/plugins/option_values.hpp"
#include "host/runtime/plugins/plugin_file.hpp"
#include "host/runtime/plugins/plugin_instance.hpp"
#include "host/runtime/plugins/search_path.hpp"
#include "strata/runtime/options.hpp"

namespace strata {

// One request with a valid file, descriptor and options.
struct ChosenPlugin {
  std::shared_ptr<PluginFile> file;
  const strata_descriptor* descriptor;
  OptionValues options;
};

class Loader {
 public:
  // `report` outlives this.
  Loader(std::vector<std::filesystem::path> session_path, LoadReport& report)
      : session_path_(std::move(session_path)), report_(report) {}

  // Returns the valid requests. The others are added to `problems`, as complete messages with place, what was
  // tried and the remedy.
  std::vector<ChosenPlugin> choose(PluginKind kind, const std::vector<PluginRequest>& requests,
                                   std::vector<std::string>& problems);

 private:
  std::shared_ptr<PluginFile> find_file(PluginKind kind, const PluginRequest& request,
                                        std::vector<std::string>& problems);
  const strata_descriptor* find_descriptor(PluginKind kind, const PluginFile& file,
                                           const PluginRequest& request, std::vector<std::string>& problems);

  std::vector<std::filesystem::path> session_path_;
  LoadReport& report_;
  std::map<std::filesystem::path, std::shared_ptr<PluginFile>> opened_;
};

}  // namespace strata
