// SPDX-License-Identifier: Apache-2.0
#include "host/cli/training/session_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

namespace strata::cli {
namespace {

// Whether the plugin uses operators to name allocations, or not at all.
bool needs_only_names(const PluginRequest& plugin) {
  const std::string id = std::filesystem::path(plugin.name).stem().string();
  return id == "allocator_tracer" || id == "nvtx_markers";
}

PluginRequest torch_source(const config::RunConfig& config) {
  const std::string place = config.file.string() + ": trace";
  const auto option = [&](const char* key, std::string text) {
    return PluginOption{.key = key, .text = std::move(text), .place = fmt::format("{}.{}", place, key)};
  };
  const auto flag = [&](const char* key, bool value) { return option(key, value ? "true" : "false"); };
  const bool is_sampled =
      config.trace.detail == "auto" && std::ranges::all_of(config.plugins, needs_only_names);
  return {.name = "torch",
          .options = {option("ops", config.trace.ops), option("detail", is_sampled ? "auto" : "all"),
                      flag("saved_tensors", config.trace.saved_tensors),
                      flag("cross_check", config.trace.cross_check),
                      option("memory_samples", config.trace.memory_samples),
                      flag("layer_outputs", config.trace.layer_outputs), flag("shapes", config.trace.shapes)},
          .place = place};
}

PluginRequest cupti_source(const config::RunConfig& config) {
  const std::string place = config.file.string() + ": cupti";
  const auto option = [&](const char* key, std::string text) {
    return PluginOption{.key = key, .text = std::move(text), .place = fmt::format("{}.{}", place, key)};
  };
  return {.name = "cupti",
          .options = {option("on_busy", config.cupti.on_busy), option("kinds", config.cupti.kinds),
                      option("graphs", config.cupti.graphs), option("from", config.cupti.from),
                      option("finalize_on_stop", config.cupti.finalize_on_stop ? "true" : "false")},
          .place = place};
}

// A run on the CPU does not use CUDA.
bool records_devices(const config::RunConfig& config) {
  return !config.plugins.empty() && config.device.kind == config::DeviceKind::kCuda;
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
  if (records_devices(config)) options.sources.push_back(cupti_source(config));
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
