#include "host/cli/session_options.hpp"

#include <fmt/format.h>

namespace strata::cli {
namespace {

PluginRequest torch_source(const config::RunConfig& config) {
  const std::string place = config.file.string() + ": trace";
  const auto option = [&](const char* key, bool value) {
    return PluginOption{
        .key = key, .text = value ? "true" : "false", .place = fmt::format("{}.{}", place, key)};
  };
  return {.name = "torch",
          .options = {option("ops", config.trace.ops), option("saved_tensors", config.trace.saved_tensors),
                      option("cross_check", config.trace.cross_check)},
          .place = place};
}

}  // namespace

SessionOptions session_options(const config::RunConfig& config, const std::filesystem::path& directory) {
  SessionOptions options;
  options.name = config.name;
  options.directory = directory;
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
