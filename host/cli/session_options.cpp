#include "host/cli/session_options.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace strata::cli {
namespace {

PluginRequest torch_source(const config::RunConfig& config) {
  const std::string place = config.file.string() + ": trace";
  const auto option = [&](const char* key, std::string text) {
    return PluginOption{.key = key, .text = std::move(text), .place = fmt::format("{}.{}", place, key)};
  };
  const auto flag = [&](const char* key, bool value) { return option(key, value ? "true" : "false"); };
  return {.name = "torch",
          .options = {option("ops", config.trace.ops), flag("saved_tensors", config.trace.saved_tensors),
                      flag("cross_check", config.trace.cross_check)},
          .place = place};
}

}  // namespace

SessionOptions session_options(const config::RunConfig& config, const std::filesystem::path& directory,
                               const trainer::RankPlace& place) {
  SessionOptions options;
  options.name = config.name;
  options.directory = directory;
  options.rank = place.rank;
  options.world_size = place.world_size;
  if (!config.plugins.empty()) options.sources.push_back(torch_source(config));
  options.plugins = config.plugins;
  options.dry = config.device.dry;
  options.schedule = {.wait = static_cast<std::uint64_t>(config.schedule.wait),
                      .warmup = static_cast<std::uint64_t>(config.schedule.warmup),
                      .active = static_cast<std::uint64_t>(config.schedule.active)};
  options.store = config.store;
  options.strict = config.strict;
  return options;
}

}  // namespace strata::cli
