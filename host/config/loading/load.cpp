// SPDX-License-Identifier: Apache-2.0
#include "host/config/loading/load.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "host/config/adapter.hpp"
#include "host/config/checks/checks.hpp"
#include "host/config/files/paths.hpp"
#include "host/config/loading/model_file.hpp"
#include "host/config/loading/plugin_list.hpp"
#include "host/config/loading/read.hpp"
#include "host/config/model_sizes.hpp"
#include "host/config/nearest.hpp"
#include "host/config/optimizer_defaults.hpp"
#include "host/config/reading/document.hpp"
#include "host/config/reading/node.hpp"
#include "host/config/schema/resolved.hpp"
#include "host/config/schema/schema.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {
namespace {

bool is_problem(std::string_view key, const std::vector<Problem>& problems) {
  return std::ranges::find(problems, key, &Problem::key) != problems.end();
}

// Every key that is written or has a default.
void read_values(const Written& written, RunConfig& config, std::vector<Problem>& problems) {
  for (const Key& key : keys()) {
    if (const auto value = written.values.find(key.path); value != written.values.end()) {
      read_value(key, value->second, config, problems);
    } else if (!key.default_text.empty()) {
      read_value(key, {parse_value(std::string(key.default_text)), written.file}, config, problems);
    } else if (key.required && !is_problem(key.section(), problems)) {
      problems.push_back({written.place_of(key.path), std::string(key.path),
                          fmt::format("is required: expected {}, found nothing", expectation(key.type))});
    }
  }
}

Problem missing_size(const Written& written) {
  return {written.place_of("model.size"), "model.size",
          fmt::format("is required: expected {}, found nothing", expectation(find_key("model.size")->type))};
}

// Applies the named size to fields that are not written.
void apply_size(const Written& written, std::string_view chosen_model, ModelConfig& model,
                std::vector<Problem>& problems) {
  struct Field {
    std::string_view path;
    std::int64_t ModelConfig::*field;
    std::int64_t ModelSize::*of_size;
  };
  static constexpr Field kFields[] = {{"model.layers", &ModelConfig::layers, &ModelSize::layers},
                                      {"model.d_model", &ModelConfig::d_model, &ModelSize::d_model},
                                      {"model.d_ff", &ModelConfig::d_ff, &ModelSize::d_ff},
                                      {"model.heads", &ModelConfig::heads, &ModelSize::heads},
                                      {"model.vocab", &ModelConfig::vocab, &ModelSize::vocab}};
  if (is_resnet(model.name) || !is_built_in(model.name)) return;  // which have no sizes

  if (model.size.empty()) {
    const std::vector<std::string_view> names = size_names(model.name);
    if (names.size() != 1) {
      if (!is_problem("model", problems)) problems.push_back(missing_size(written));
      return;
    }
    model.size = names.front();
  }
  const ModelSize* const size = find_model_size(model.name, model.size);
  if (size == nullptr && model.size != "custom") {
    std::vector<std::string_view> names = size_names(model.name);
    names.emplace_back("custom");
    problems.push_back({written.place_of("model.size"), "model.size",
                        fmt::format("expected a size of {}, one of {}, found '{}'{}", chosen_model,
                                    fmt::join(names, ", "), model.size, did_you_mean(model.size, names))});
    return;
  }
  for (const Field& field : kFields) {
    if (written.values.contains(field.path)) continue;
    if (size != nullptr) {
      model.*field.field = size->*field.of_size;
    } else {
      problems.push_back(
          {written.place_of("model.size"), std::string(field.path), "is required with model.size: custom"});
    }
  }
}

// Applies the architecture's defaults to fields that are not written.
void apply_model_defaults(const Written& written, ModelConfig& model) {
  const ModelDefaults& defaults = defaults_of(model.name);
  const auto set = [&](std::string_view path, auto& field, const auto& value) {
    if (!written.values.contains(path)) field = value;
  };
  const ModelSize* const size = find_model_size(model.name, model.size);
  set("model.kv_heads", model.kv_heads,
      size == nullptr || written.values.contains("model.heads") ? model.heads : size->kv_heads);
  set("model.rope_theta", model.rope_theta, defaults.rope_theta);
  set("model.norm_epsilon", model.norm_epsilon, defaults.norm_epsilon);
  set("model.positions", model.positions, defaults.positions);
  set("model.tied", model.tied, defaults.tied);
  set("model.classes", model.classes, defaults.classes);
  if (is_built_in(model.name)) model.task = defaults.task;
}

// Applies the optimizer's defaults to fields that are not written.
void apply_optimizer_defaults(const Written& written, OptimizerConfig& optimizer) {
  const OptimizerDefaults defaults = defaults_of(optimizer.name);
  if (!written.values.contains("optimizer.momentum")) optimizer.momentum = defaults.momentum;
  if (!written.values.contains("optimizer.beta2")) optimizer.beta2 = defaults.beta2;
  if (!written.values.contains("optimizer.epsilon")) optimizer.epsilon = defaults.epsilon;
}

// Applies the adapter defaults of the model's architecture and the precision to fields that are not written.
void apply_adapter_defaults(const Written& written, RunConfig& config) {
  AdapterConfig& adapter = config.adapter;
  if (!adapter.is_used()) return;
  if (!written.values.contains("adapter.targets"))
    for (const std::string_view name : default_targets(config.model.name)) adapter.targets.emplace_back(name);
  if (!written.values.contains("adapter.base"))
    adapter.base = config.precision == Precision::kBf16 ? BaseStorage::kBf16 : BaseStorage::kFp32;
}

// The key `grid` of a grid file, with its place: for such a file a single problem is clearer than one per
// key.
std::optional<Problem> found_grid(const YAML::Node& root, const std::string& source) {
  for (const auto& entry : root) {
    if (!entry.first.IsScalar() || entry.first.Scalar() != "grid") continue;
    return Problem{place_of(entry.first, {.source = source, .line = 1, .column = 1}), "grid",
                   fmt::format("this file describes a grid, not a run; use: strata grid run {}", source)};
  }
  return std::nullopt;
}

}  // namespace

RunConfig config_of(Written written, const std::filesystem::path& file, std::vector<Problem> problems,
                    const PluginCheck& check_plugins) {
  RunConfig config;
  config.file = std::filesystem::absolute(file);
  config.name = default_name(file);

  const bool has_shape = read_model_file(written, problems);

  read_values(written, config, problems);
  apply_plugin_overrides(written.plugin_overrides, config.plugins, problems);
  if (has_shape && !is_problem("model.name", problems)) {
    apply_size(written, chosen_name(config, "model.name"), config.model, problems);
    apply_model_defaults(written, config.model);
  }
  apply_adapter_defaults(written, config);
  apply_optimizer_defaults(written, config.optimizer);
  check(written, config, problems);
  sort_problems(problems);
  if (check_plugins) {
    for (std::string& message : check_plugins(config.plugins))
      problems.push_back({{}, {}, std::move(message)});
  }
  if (!problems.empty()) throw ConfigError(std::move(problems));
  config.resolved_yaml = resolved_yaml(config);
  return config;
}

RunConfig parse_config(std::string_view text, const std::filesystem::path& file,
                       std::span<const std::string> overrides, const PluginCheck& check_plugins) {
  const std::string source = file.string();
  Written written;
  std::vector<Problem> problems;
  const YAML::Node root = parse_document(text, source);
  if (std::optional<Problem> grid = found_grid(root, source)) throw ConfigError({std::move(*grid)});
  read_file_keys(root, source, written, problems);
  for (const std::string& override : overrides) read_override(override, written, problems);
  return config_of(std::move(written), file, std::move(problems), check_plugins);
}

RunConfig load_config(const std::filesystem::path& file, std::span<const std::string> overrides,
                      const PluginCheck& check_plugins) {
  const std::filesystem::path found = shipped_file(file);
  return parse_config(read_text(found), found, overrides, check_plugins);
}

}  // namespace strata::config
