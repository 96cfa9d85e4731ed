// SPDX-License-Identifier: Apache-2.0
// `strata plugins`: what can be loaded, and with which options.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/torch_libraries.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/nearest.hpp"
#include "strata/runtime/catalogue.hpp"

namespace strata::cli {
namespace {

using Json = nlohmann::ordered_json;

struct PluginsArguments {
  std::string name;
  bool json = false;
};

Json to_json(const PluginDescription& entry) {
  Json options = Json::array();
  for (const OptionDescription& option : entry.options) {
    options.push_back({{"key", option.key},
                       {"type", option.type},
                       {"expects", option.expectation},
                       {"default", option.default_text},
                       {"help", option.help}});
  }
  return {{"id", entry.id},           {"kind", entry.source ? "source" : "plugin"},
          {"version", entry.version}, {"summary", entry.summary},
          {"path", entry.path},       {"refused", entry.refused},
          {"options", options}};
}

std::string list(const std::vector<PluginDescription>& entries) {
  std::string text;
  for (const PluginDescription& entry : entries) {
    const std::string summary = entry.refused.empty() ? entry.summary : "cannot be used: " + entry.refused;
    text += fmt::format("{:<20} {:<7} {:<8} {}\n", entry.id, entry.source ? "source" : "plugin",
                        entry.version, summary);
  }
  return text.empty() ? "no plugins found; set `STRATA_VERBOSE=1` to see where a run searches for them\n"
                      : text;
}

std::string details(const PluginDescription& entry) {
  std::string text = fmt::format("{} {} ({})\n", entry.id, entry.version, entry.source ? "source" : "plugin");
  if (!entry.refused.empty()) text += fmt::format("cannot be used: {}\n", entry.refused);
  if (!entry.summary.empty()) text += fmt::format("{}\n", entry.summary);
  text += fmt::format("file: {}\n", entry.path.string());
  if (!entry.options.empty()) text += "options:\n";
  for (const OptionDescription& option : entry.options) {
    text += fmt::format("  {}: {}, default {}\n      {}\n", option.key, option.expectation,
                        option.default_text, option.help);
  }
  return text;
}

const PluginDescription& find(const std::vector<PluginDescription>& entries, const std::string& name) {
  const auto found = std::ranges::find(entries, name, &PluginDescription::id);
  if (found != entries.end()) return *found;
  std::vector<std::string_view> ids;
  ids.reserve(entries.size());
  for (const PluginDescription& entry : entries) ids.push_back(entry.id);
  throw UsageError(fmt::format("no plugin is called '{}'{}; `strata plugins` lists them", name,
                               config::did_you_mean(name, ids)));
}

void show(const PluginsArguments& arguments) {
  std::vector<PluginDescription> entries = available_plugins();
  std::ranges::move(sources_with_torch(), std::back_inserter(entries));
  const bool one = !arguments.name.empty();
  if (one) entries = {find(entries, arguments.name)};
  if (!arguments.json) return print(one ? details(entries.front()) : list(entries));
  Json plugins = Json::array();
  for (const PluginDescription& entry : entries) plugins.push_back(to_json(entry));
  const Json document = {{"schema", "strata.plugins/1"}, {"plugins", std::move(plugins)}};
  print(document.dump(2) + '\n');
}

}  // namespace

void add_plugins_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<PluginsArguments>();
  CLI::App* const command = app.add_subcommand("plugins", "List plugins and sources, or the options of one");
  command->add_option("NAME", arguments->name, "Plugin or source to show in full");
  command->add_flag("--json", arguments->json, "Print JSON, strata.plugins/1");
  command->footer(
      "Searches the folders in STRATA_PLUGIN_PATH, then lib/strata/plugins of this installation.\n\n"
      "Examples:\n"
      "  strata plugins\n"
      "  strata plugins allocator_tracer");
  command->callback([arguments, &exit_code] {
    show(*arguments);
    exit_code = kDone;
  });
}

}  // namespace strata::cli
