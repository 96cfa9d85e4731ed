// SPDX-License-Identifier: Apache-2.0
// From the names in a configuration to started plugins.
//
// First everything that can be judged without running plugin code: files found and opened, versions,
// descriptors, options; all that is wrong is reported at once. Only then `init` and `create`, which may fail
// without harm.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/runtime/plugins/load_report.hpp"
#include "host/runtime/plugins/option_values.hpp"
#include "host/runtime/plugins/plugin_file.hpp"
#include "host/runtime/plugins/plugin_instance.hpp"
#include "host/runtime/plugins/search_path.hpp"
#include "host/runtime/services/host_handle.hpp"
#include "strata/runtime/options.hpp"

namespace strata {

// One request whose file, descriptor and options are good.
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

  // What could be chosen; the rest is in `problems`, as whole messages with place, what was tried and the
  // remedy.
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
