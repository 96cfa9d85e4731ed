// SPDX-License-Identifier: Apache-2.0
#include "host/grid/grid_folder.hpp"

#include <fmt/format.h>

#include <system_error>

#include "host/grid/plan/plan_text.hpp"
#include "host/grid/processes/durable_file.hpp"

namespace strata::grid {
namespace {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw WriteError(folder, error.value());
}

}  // namespace

bool GridFolder::has_plan() const {
  std::error_code ignored;
  return std::filesystem::exists(path_ / "plan.json", ignored);
}

void GridFolder::write_plan(const Plan& plan) const {
  for (const Cell& each : plan.cells) {
    make_folder(cell(each.id));
    if (read_if_there(config(each.id)) != each.config_yaml) write_durably(config(each.id), each.config_yaml);
  }
  write_durably(path_ / "plan.json", plan_text(plan));
}

Plan GridFolder::read_plan(bool with_configs) const {
  const std::string text = read_if_there(path_ / "plan.json");
  if (text.empty())
    throw FolderError(
        fmt::format("{} contains no grid, because it has no plan.json; start one with `strata grid run "
                    "GRID.yaml --out {}`",
                    path_.string(), path_.string()));
  std::optional<Plan> plan = parse_plan(text);
  if (!plan)
    throw FolderError(
        fmt::format("{}: is not a plan of this version of Strata; run the grid's YAML again with --out {}",
                    (path_ / "plan.json").string(), path_.string()));
  if (with_configs) {
    for (Cell& each : plan->cells) {
      each.config_yaml = read_if_there(config(each.id));
      if (each.config_yaml.empty())
        throw FolderError(fmt::format("{} is missing; run the grid's YAML again with --out {}",
                                      config(each.id).string(), path_.string()));
    }
  }
  return *std::move(plan);
}

CellState GridFolder::read_state(const std::string& id) const {
  return parse_state(read_if_there(cell(id) / "state.json")).value_or(CellState{});
}

void GridFolder::write_state(const std::string& id, const CellState& state) const {
  write_durably(cell(id) / "state.json", state_text(id, state));
}

std::filesystem::path GridFolder::run(const std::string& id, std::int64_t attempt) const {
  return cell(id) / fmt::format("run-{}", attempt);
}

void GridFolder::remove_runs_before(const std::string& id, std::int64_t attempt) const {
  for (std::int64_t earlier = attempt - 1; earlier > 0; --earlier) {
    std::error_code ignored;
    if (std::filesystem::remove_all(run(id, earlier), ignored) == 0) return;
  }
}

}  // namespace strata::grid
