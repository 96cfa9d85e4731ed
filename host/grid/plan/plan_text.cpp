// SPDX-License-Identifier: Apache-2.0
#include "host/grid/plan/plan_text.hpp"

#include <nlohmann/json.hpp>

namespace strata::grid {
namespace {

using PlanJson = nlohmann::ordered_json;

constexpr const char* kSchema = "strata.grid/1";

PlanJson settings_json(const Cell& cell) {
  PlanJson settings = PlanJson::array();
  for (const Setting& each : cell.settings) settings.push_back({{"axis", each.axis}, {"label", each.label}});
  return settings;
}

// The id names a folder: nothing else may get in.
bool is_id(const std::string& id) {
  return !id.empty() && id.size() <= 64 && id.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Cell cell_from(const PlanJson& json) {
  Cell cell{
      .id = json.at("id").get<std::string>(),
      .settings = {},
      .config_yaml = {},
      .parameters = {},
      .device = json.at("device").get<std::string>(),
      .needs = {.cores = json.at("cores").get<std::int64_t>(), .gpus = json.at("gpus").get<std::int64_t>()},
      .shape_id = json.at("shape").get<std::string>()};
  for (const PlanJson& each : json.at("settings"))
    cell.settings.push_back({each.at("axis").get<std::string>(), each.at("label").get<std::string>()});
  if (json.at("parameters").is_number_unsigned())
    cell.parameters = json.at("parameters").get<std::uint64_t>();
  return cell;
}

}  // namespace

std::string plan_text(const Plan& plan) {
  PlanJson json = {{"schema", kSchema}, {"name", plan.name}, {"file", plan.file}, {"axes", plan.axes}};
  json["labels"] = PlanJson::array();
  for (const ShortLabel& each : plan.labels)
    json["labels"].push_back({{"axis", each.axis}, {"label", each.label}, {"settings", each.settings}});
  json["limits"] = {{"timeout_s", plan.limits.timeout ? PlanJson(plan.limits.timeout->count()) : PlanJson()},
                    {"stop_on_oom", plan.limits.on_oom == After::kStop},
                    {"stop_on_fail", plan.limits.on_fail == After::kStop},
                    {"skip_dominated", plan.limits.skip_dominated}};
  json["engine"] = {
      {"kind", name_of(plan.engine.kind)},
      {"slots", plan.engine.slots ? PlanJson(*plan.engine.slots) : PlanJson()},
      {"memory_bytes", plan.engine.memory_bytes ? PlanJson(*plan.engine.memory_bytes) : PlanJson()},
      {"cells_per_gpu", plan.engine.cells_per_gpu},
      {"predict", plan.engine.predicts},
      {"slurm", PlanJson::parse(slurm_options_text(plan.engine.slurm))}};
  json["cells"] = PlanJson::array();
  for (const Cell& cell : plan.cells) {
    json["cells"].push_back({{"id", cell.id},
                             {"settings", settings_json(cell)},
                             {"parameters", cell.parameters ? PlanJson(*cell.parameters) : PlanJson()},
                             {"device", cell.device},
                             {"cores", cell.needs.cores},
                             {"gpus", cell.needs.gpus},
                             {"shape", cell.shape_id}});
  }
  return json.dump(2, ' ', false, PlanJson::error_handler_t::replace) + '\n';
}

std::optional<Plan> parse_plan(std::string_view text) try {
  const PlanJson json = PlanJson::parse(text);
  if (json.at("schema") != kSchema) return std::nullopt;
  Plan plan{.name = json.at("name").get<std::string>(),
            .file = json.at("file").get<std::string>(),
            .axes = json.at("axes").get<std::vector<std::string>>(),
            .labels = {},
            .cells = {},
            .limits = {},
            .engine = {}};
  for (const PlanJson& each : json.value("labels", PlanJson::array())) {
    plan.labels.push_back({each.at("axis").get<std::string>(), each.at("label").get<std::string>(),
                           each.at("settings").get<std::string>()});
  }
  const PlanJson& limits = json.at("limits");
  if (limits.at("timeout_s").is_number())
    plan.limits.timeout = std::chrono::seconds(limits.at("timeout_s").get<std::int64_t>());
  if (limits.at("stop_on_oom").get<bool>()) plan.limits.on_oom = After::kStop;
  if (limits.at("stop_on_fail").get<bool>()) plan.limits.on_fail = After::kStop;
  plan.limits.skip_dominated = limits.at("skip_dominated").get<std::vector<std::string>>();
  const PlanJson& engine = json.at("engine");
  if (engine.at("slots").is_number()) plan.engine.slots = engine.at("slots").get<std::int64_t>();
  if (engine.at("memory_bytes").is_number())
    plan.engine.memory_bytes = engine.at("memory_bytes").get<std::uint64_t>();
  plan.engine.cells_per_gpu = engine.at("cells_per_gpu").get<std::int64_t>();
  plan.engine.kind = engine_named(engine.value("kind", std::string())).value_or(EngineKind::kLocal);
  if (engine.contains("slurm")) plan.engine.slurm = parse_slurm_options(engine.at("slurm").dump());
  plan.engine.predicts = engine.at("predict").get<bool>();
  for (const PlanJson& each : json.at("cells")) {
    plan.cells.push_back(cell_from(each));
    if (!is_id(plan.cells.back().id)) return std::nullopt;
  }
  return plan;
} catch (const PlanJson::exception&) {
  return std::nullopt;
}

}  // namespace strata::grid
