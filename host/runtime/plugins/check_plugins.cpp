// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/check_plugins.hpp"

#include "host/runtime/plugins/load_report.hpp"
#include "host/runtime/plugins/loader.hpp"

namespace strata {

std::vector<std::string> check_plugins(const std::vector<PluginRequest>& plugins,
                                       const std::vector<std::filesystem::path>& plugin_path) {
  std::vector<std::string> problems;
  LoadReport report;
  Loader(plugin_path, report).choose(PluginKind::kPlugin, plugins, problems);
  return problems;
}

}  // namespace strata
