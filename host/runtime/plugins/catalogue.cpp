// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/catalogue.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "host/runtime/plugins/option_text.hpp"
#include "host/runtime/plugins/plugin_file.hpp"
#include "host/runtime/plugins/search_path.hpp"
#include "strata/runtime/torch_release.hpp"

namespace strata {
namespace {

OptionDescription describe(const strata_option& option) {
  return {option.key, std::string(option_type_name(option.type)), option.default_text, option.help,
          expectation(option)};
}

PluginDescription describe(const PluginFile& file, const strata_descriptor& descriptor) {
  PluginDescription description;
  description.id = descriptor.id;
  description.version = descriptor.version;
  description.summary = descriptor.summary;
  description.path = file.path();
  description.source = (descriptor.flags & STRATA_DESCRIPTOR_SOURCE) != 0;
  description.whole_run = (descriptor.flags & STRATA_DESCRIPTOR_WHOLE_RUN) != 0;
  for (const strata_option& option : std::span(descriptor.options, descriptor.option_count)) {
    description.options.push_back(describe(option));
  }
  return description;
}

PluginDescription refused(const std::filesystem::path& path, bool source, const PluginRefused& refusal) {
  PluginDescription description;
  description.id = plugin_name(path);
  description.path = path;
  description.source = source;
  description.refused = refusal.what();
  return description;
}

bool is_in(const std::filesystem::path& file, const std::vector<std::filesystem::path>& folders) {
  return std::ranges::find(folders, file.parent_path()) != folders.end();
}

// Among the sources of torch's events, only the one for the torch loaded by this process, if any.
std::vector<std::filesystem::path> files_of(PluginKind kind,
                                            const std::vector<std::filesystem::path>& folders) {
  std::vector<std::filesystem::path> files = plugin_files(folders);
  const auto torch = kind == PluginKind::kSource ? loaded_torch() : std::nullopt;
  if (!torch) return files;
  const std::filesystem::path chosen = find_torch_source(*torch);
  if (chosen.empty() || std::ranges::find(files, chosen) != files.end()) return files;
  std::erase_if(files, [&](const std::filesystem::path& file) {
    return file.parent_path() == folders.back() && plugin_name(file).starts_with("torch-");
  });
  files.push_back(chosen);
  return files;
}

std::vector<PluginDescription> available(PluginKind kind,
                                         const std::vector<std::filesystem::path>& plugin_path) {
  const bool sources = kind == PluginKind::kSource;
  std::vector<PluginDescription> found;
  for (const std::filesystem::path& path : files_of(kind, search_folders(kind, plugin_path))) {
    try {
      const PluginFile file(path);
      for (const strata_descriptor* descriptor : file.descriptors()) {
        PluginDescription description = describe(file, *descriptor);
        if (description.source == sources) found.push_back(std::move(description));
      }
    } catch (const PluginRefused& refusal) {
      if (sources && is_in(path, search_folders(PluginKind::kPlugin, plugin_path))) continue;  // listed there
      found.push_back(refused(path, sources, refusal));
    }
  }
  return found;
}

}  // namespace

std::vector<PluginDescription> available_plugins(const std::vector<std::filesystem::path>& plugin_path) {
  return available(PluginKind::kPlugin, plugin_path);
}

std::vector<PluginDescription> available_sources(const std::vector<std::filesystem::path>& plugin_path) {
  return available(PluginKind::kSource, plugin_path);
}

}  // namespace strata
