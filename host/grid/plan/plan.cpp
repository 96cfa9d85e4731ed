// SPDX-License-Identifier: Apache-2.0
#include "host/grid/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "host/config/adapter.hpp"
#include "host/config/schema/resolved.hpp"
#include "host/grid/plan/identity.hpp"

namespace strata::grid {
namespace {

// Each problem once, however many cells have it.
class CellProblems {
 public:
  void add(const config::Problem& problem, const Draft& draft) {
    const auto [place, is_new] = places_.emplace(problem.text(), found_.size());
    if (is_new) found_.push_back({problem, draft.text(), 0});
    ++found_[place->second].cells;
  }

  bool empty() const { return found_.empty(); }

  // Behind those of the file itself.
  std::vector<config::Problem> all(std::size_t cells, std::vector<config::Problem> problems) const {
    for (const Found& each : found_) {
      config::Problem problem = each.problem;
      if (!each.cell.empty() && each.cells < cells) {
        problem.message += each.cells == 1 ? fmt::format(" (in the cell {})", each.cell)
                                           : fmt::format(" (in {} cells, such as {})", each.cells, each.cell);
      }
      problems.push_back(std::move(problem));
    }
    return problems;
  }

 private:
  struct Found {
    config::Problem problem;
    std::string cell;
    std::size_t cells = 0;
  };
  std::map<std::string, std::size_t> places_;
  std::vector<Found> found_;
};

// Plugin files are opened to check them, which few combinations need more than once.
config::PluginCheck remembered(const config::PluginCheck& check) {
  if (!check) return {};
  auto answers = std::make_shared<std::map<std::string, std::vector<std::string>>>();
  return [check, answers](const std::vector<PluginRequest>& plugins) {
    std::string key;
    for (const PluginRequest& plugin : plugins) {
      key += plugin.name + '\n';
      for (const PluginOption& option : plugin.options) key += option.key + '=' + option.text + '\n';
    }
    const auto known = answers->find(key);
    if (known != answers->end()) return known->second;
    return answers->emplace(key, check(plugins)).first->second;
  };
}

Needs needs_of(const config::RunConfig& config) {
  const bool first_alone = config.ddp.ranks == config::RanksThatRun::kFirst;
  const std::int64_t processes = first_alone ? 1 : config.world_size;
  if (config.device.is_dry()) return {.cores = processes, .gpus = 0};  // nothing is computed
  if (config.device.kind == config::DeviceKind::kCuda) return {.cores = processes, .gpus = processes};
  return {.cores = processes * config.backend.threads, .gpus = 0};
}

Cell cell_of(config::RunConfig config, const Draft& draft, const std::string& grid_name) {
  Cell cell{.id = identity_of(config),
            .settings = draft.settings,
            .config_yaml = {},
            .parameters = {},
            .device = to_text(config.device),
            .needs = needs_of(config),
            .shape_id = {}};
  if (is_built_in(config.model.name)) cell.parameters = config::parameter_count(config);
  config.name = fmt::format("{}-{}", grid_name, cell.id);
  cell.config_yaml = config::resolved_yaml(config);
  config.seed = 0;
  config.resolved_yaml = config::resolved_yaml(config);
  cell.shape_id = identity_of(config);
  return cell;
}

// A program of unknown needs on the machine's own devices has the machine to itself.
Cell cell_of_program(const GridFile& grid, const Draft& draft) {
  std::vector<config::Problem> problems = draft.problems;
  const ProgramCell program = cell_of_program(*grid.program, draft.written, problems);
  if (!problems.empty()) throw config::ConfigError(problems);
  Cell cell{.id = {},
            .settings = draft.settings,
            .config_yaml = program.yaml(std::filesystem::current_path().string()),
            .parameters = {},
            .device = program.device ? to_text(*program.device) : "this machine's",
            .needs = {.cores = program.device ? 1 : 0, .gpus = 0},
            .shape_id = {}};
  cell.id = cell.shape_id = identity_of_text(program.yaml({}));
  return cell;
}

std::vector<ShortLabel> short_labels(const GridFile& grid) {
  std::vector<ShortLabel> labels;
  for (const Axis& axis : grid.axes) {
    if (std::ranges::all_of(axis.points, &Point::says_all)) continue;
    for (const Point& point : axis.points)
      if (!point.stands_for.empty()) labels.push_back({axis.name, point.label, point.stands_for});
  }
  return labels;
}

std::vector<std::string> axis_names(const GridFile& grid, const std::vector<Cell>& cells) {
  std::vector<std::string> names;
  for (const Axis& axis : grid.axes) names.push_back(axis.name);
  for (const char* const extra : {kIncludeAxis, kSeedAxis}) {
    const bool used = std::ranges::any_of(cells, [&](const Cell& cell) {
      return std::ranges::find(cell.settings, extra, &Setting::axis) != cell.settings.end();
    });
    if (used && std::ranges::find(names, extra) == names.end()) names.emplace_back(extra);
  }
  return names;
}

}  // namespace

std::string Cell::label(std::string_view axis) const {
  const auto setting = std::ranges::find(settings, axis, &Setting::axis);
  return setting == settings.end() ? std::string() : setting->label;
}

std::string Cell::text() const {
  return Draft{.settings = settings, .written = {}, .problems = {}}.text();
}

Planned plan_grid(const GridFile& grid, const config::PluginCheck& check_plugins) {
  // Without these every cell would be wrong.
  const auto is_of_all = [](const config::Problem& problem) {
    return problem.key == "base" || problem.key == "program";
  };
  if (std::ranges::any_of(grid.problems, is_of_all)) throw config::ConfigError(grid.problems);
  const config::PluginCheck check = remembered(check_plugins);
  Drafts drafts = draft_cells(grid);
  Planned planned{.plan = {.name = grid.name,
                           .file = grid.file.string(),
                           .axes = {},
                           .labels = short_labels(grid),
                           .cells = {},
                           .limits = grid.options.limits,
                           .engine = grid.options.engine},
                  .runs_program = grid.program.has_value(),
                  .excluded = drafts.excluded,
                  .notes = grid.notes};
  CellProblems problems;
  std::map<std::string, std::string> seen;
  for (const Draft& draft : drafts.cells) {
    try {
      Cell cell = grid.program ? cell_of_program(grid, draft)
                               : cell_of(config::config_of(draft.written, grid.file, draft.problems, check),
                                         draft, grid.name);
      const auto [first, is_new] = seen.emplace(cell.id, draft.text());
      if (is_new) {
        planned.plan.cells.push_back(std::move(cell));
      } else {
        planned.notes.push_back(
            fmt::format("{} is the same as {}: one cell for both", draft.text(), first->second));
      }
    } catch (const config::ConfigError& error) {
      for (const config::Problem& problem : error.problems()) problems.add(problem, draft);
    }
  }
  if (!problems.empty() || !grid.problems.empty())
    throw config::ConfigError(problems.all(drafts.cells.size(), grid.problems));
  for (const ExcludedBy& rule : drafts.excluded) {
    if (rule.cells == 0)
      planned.notes.push_back(fmt::format("{}: exclude: {} excludes no cell", rule.place.text(), rule.rule));
  }
  if (planned.plan.cells.empty())
    throw config::ConfigError({{grid.base.file, "axes", "no cell is left, because all are excluded"}});
  planned.plan.axes = axis_names(grid, planned.plan.cells);
  return planned;
}

}  // namespace strata::grid
