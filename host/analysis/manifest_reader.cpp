#include "host/analysis/manifest_reader.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace strata::analysis {
namespace {

std::string text_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

void read_manifest(const std::filesystem::path& manifest, std::vector<PluginFact>& plugins,
                   std::vector<std::string>& warnings) {
  std::ifstream file(manifest);
  if (!file) {
    warnings.push_back(fmt::format(
        "{}: not there, though a run begins by writing it, so the state of the plugins is unknown",
        manifest.string()));
    return;
  }
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object()) {
    warnings.push_back(
        fmt::format("{}: is not a JSON object, so the state of the plugins is unknown", manifest.string()));
    return;
  }
  for (const char* section : {"sources", "plugins"}) {
    const auto list = json.find(section);
    if (list == json.end() || !list->is_array()) continue;
    for (const nlohmann::json& entry : *list) {
      if (!entry.is_object()) continue;
      plugins.push_back({text_of(entry, "id"), text_of(entry, "status"), text_of(entry, "reason")});
    }
  }
}

}  // namespace strata::analysis
