// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/plugins/loader.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "strata/runtime/nearest_name.hpp"
#include "strata/runtime/torch_release.hpp"

namespace strata {
namespace {

std::string opening(const PluginRequest& request) {
  return request.place.empty() ? std::string() : request.place + ": ";
}

std::vector<std::string> texts_of(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::string> texts;
  texts.reserve(paths.size());
  for (const std::filesystem::path& path : paths) texts.push_back(path.string());
  return texts;
}

std::string not_found(PluginKind kind, const PluginRequest& request,
                      const std::vector<std::filesystem::path>& folders) {
  if (request.name.find('/') != std::string::npos) {
    return fmt::format(
        "{}the file '{}' does not exist. Name an existing shared object, or name a {} without '/' to search "
        "for it.",
        opening(request), request.name, kind_name(kind));
  }
  std::vector<std::string> available;
  for (const std::filesystem::path& file : plugin_files(folders)) available.push_back(plugin_name(file));
  const std::vector<std::string> relative = relative_environment_folders();
  return fmt::format(
      "{}no {} '{}'.{} Searched for lib{}.so and {}.so in: {}. Found there: {}. {}", opening(request),
      kind_name(kind), request.name, did_you_mean(request.name, available), request.name, request.name,
      fmt::join(texts_of(folders), ", "),
      available.empty() ? "none" : fmt::format("{}", fmt::join(available, ", ")),
      relative.empty()
          ? "To search other folders first, list their absolute paths in STRATA_PLUGIN_PATH."
          : fmt::format("STRATA_PLUGIN_PATH has '{}', which was not searched: write absolute paths.",
                        fmt::join(relative, "', '")));
}

}  // namespace

std::shared_ptr<PluginFile> Loader::find_file(PluginKind kind, const PluginRequest& request,
                                              std::vector<std::string>& problems) {
  const std::vector<std::filesystem::path> folders = search_folders(kind, session_path_);
  std::vector<std::filesystem::path> candidates = candidate_files(request.name, folders);
  if (kind == PluginKind::kSource && request.name == "torch") {
    const auto release = loaded_torch();
    const std::filesystem::path file = release ? find_torch_source(*release) : std::filesystem::path();
    if (!file.empty()) candidates.insert(candidates.begin(), file);
  }
  for (const std::filesystem::path& candidate : candidates) {
    std::error_code error;
    if (!std::filesystem::exists(candidate, error)) {
      report_.line("    tried {}: no such file", candidate.string());
      continue;
    }
    const std::filesystem::path path = std::filesystem::canonical(candidate, error);
    if (const auto already = opened_.find(path); already != opened_.end()) {
      report_.line("    {}: open already", path.string());
      return already->second;
    }
    try {
      auto file = std::make_shared<PluginFile>(path);
      report_.line("    opened {}: {} found, ABI {}.{} (this host: {}.{}), struct_size {}", path.string(),
                   STRATA_ENTRY_SYMBOL, file->entry().abi_major, file->entry().abi_minor, STRATA_ABI_MAJOR,
                   STRATA_ABI_MINOR, file->entry().struct_size);
      opened_.emplace(path, file);
      return file;
    } catch (const PluginRefused& refusal) {
      report_.line("    refused {}: {}", candidate.string(), refusal.what());
      problems.push_back(
          fmt::format("{}{} '{}': {}.", opening(request), kind_name(kind), request.name, refusal.what()));
      return nullptr;
    }
  }
  problems.push_back(not_found(kind, request, folders));
  return nullptr;
}

const strata_descriptor* Loader::find_descriptor(PluginKind kind, const PluginFile& file,
                                                 const PluginRequest& request,
                                                 std::vector<std::string>& problems) {
  const bool is_path = request.name.find('/') != std::string::npos;
  const std::string id = is_path ? plugin_name(request.name) : request.name;
  const strata_descriptor* descriptor = file.descriptor(id);
  if (descriptor == nullptr && is_path && file.descriptors().size() == 1)
    descriptor = file.descriptors().front();
  if (descriptor == nullptr) {
    std::vector<std::string> ids;
    for (const strata_descriptor* held : file.descriptors()) ids.emplace_back(held->id);
    problems.push_back(fmt::format("{}{} contains no plugin '{}'.{} It contains: {}.", opening(request),
                                   file.path().string(), id, did_you_mean(id, ids), fmt::join(ids, ", ")));
    return nullptr;
  }
  const bool is_source = (descriptor->flags & STRATA_DESCRIPTOR_SOURCE) != 0;
  if (is_source != (kind == PluginKind::kSource)) {
    problems.push_back(fmt::format("{}'{}' is a {}, but was requested as a {}. Name it under {}.",
                                   opening(request), descriptor->id, is_source ? "source" : "plugin",
                                   kind_name(kind), is_source ? "sources" : "plugins"));
    return nullptr;
  }
  return descriptor;
}

std::vector<ChosenPlugin> Loader::choose(PluginKind kind, const std::vector<PluginRequest>& requests,
                                         std::vector<std::string>& problems) {
  std::vector<ChosenPlugin> chosen;
  std::map<std::string, std::string> places;
  for (const PluginRequest& request : requests) {
    report_.line("  {} {}{}", kind_name(kind), request.name,
                 request.place.empty() ? "" : fmt::format(" ({})", request.place));
    const std::shared_ptr<PluginFile> file = find_file(kind, request, problems);
    if (file == nullptr) continue;
    const strata_descriptor* descriptor = find_descriptor(kind, *file, request, problems);
    if (descriptor == nullptr) continue;
    if (const auto [first, fresh] = places.emplace(descriptor->id, request.place); !fresh) {
      problems.push_back(fmt::format(
          "{}{} '{}' is named twice{}; keep one.", opening(request), kind_name(kind), descriptor->id,
          first->second.empty() ? "" : fmt::format(" (first at {})", first->second)));
      continue;
    }
    OptionValues options = OptionValues::resolve(*descriptor, request.options, problems);
    report_.line("    {} {}; options: {}", descriptor->id, descriptor->version, options.summary());
    chosen.push_back({file, descriptor, std::move(options)});
  }
  return chosen;
}

}  // namespace strata
