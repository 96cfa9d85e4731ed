// SPDX-License-Identifier: Apache-2.0
#include "host/drop_in/settings.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

namespace strata::drop_in {
namespace {

using nlohmann::json;

json to_json(const std::vector<PluginRequest>& requests) {
  json list = json::array();
  for (const PluginRequest& request : requests) {
    json options = json::array();
    for (const PluginOption& option : request.options)
      options.push_back({{"key", option.key}, {"text", option.text}, {"place", option.place}});
    list.push_back({{"name", request.name}, {"place", request.place}, {"options", options}});
  }
  return list;
}

std::vector<PluginRequest> to_requests(const json& list) {
  std::vector<PluginRequest> requests;
  for (const json& request : list) {
    PluginRequest read{.name = request.at("name"), .options = {}, .place = request.at("place")};
    for (const json& option : request.at("options"))
      read.options.push_back(
          {.key = option.at("key"), .text = option.at("text"), .place = option.at("place")});
    requests.push_back(std::move(read));
  }
  return requests;
}

}  // namespace

std::string settings_text(const SessionOptions& options) {
  return json{{"name", options.name},
              {"directory", options.directory.string()},
              {"sources", to_json(options.sources)},
              {"plugins", to_json(options.plugins)},
              {"dry", options.dry},
              {"store",
               {{"drop_when_full", options.store.on_full == OnFull::kDrop},
                {"spool_bytes", options.store.spool_bytes},
                {"max_mb", options.store.max_mb}}},
              {"schedule",
               {{"wait", options.schedule.wait},
                {"warmup", options.schedule.warmup},
                {"active", options.schedule.active}}}}
      .dump(2);
}

SessionOptions read_settings(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream)
    throw std::runtime_error(
        fmt::format("{}={}: no such file; `strata exec` creates it, and it is removed with the run's folder",
                    kSettingsVariable, file.string()));
  try {
    const json settings = json::parse(stream);
    const json& schedule = settings.at("schedule");
    SessionOptions options;
    options.name = settings.at("name");
    options.directory = settings.at("directory").get<std::string>();
    options.sources = to_requests(settings.at("sources"));
    options.plugins = to_requests(settings.at("plugins"));
    options.dry = settings.at("dry");
    options.schedule = {
        .wait = schedule.at("wait"), .warmup = schedule.at("warmup"), .active = schedule.at("active")};
    const json& store = settings.at("store");
    options.store = {.on_full = store.at("drop_when_full").get<bool>() ? OnFull::kDrop : OnFull::kBlock,
                     .spool_bytes = store.at("spool_bytes"),
                     .max_mb = store.at("max_mb")};
    options.infer_loop = true;
    return options;
  } catch (const json::exception& error) {
    throw std::runtime_error(fmt::format("{}: does not contain the settings that `strata exec` writes ({})",
                                         file.string(), error.what()));
  }
}

std::string allocator_text() {
  const char* text = nullptr;
  for (const char* const variable : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"}) {
    if (text == nullptr) text = secure_getenv(variable);
  }
  const nlohmann::json section{{"settings", text == nullptr ? "" : text}};
  return section.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace strata::drop_in
