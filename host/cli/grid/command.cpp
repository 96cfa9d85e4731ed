// SPDX-License-Identifier: Apache-2.0
// `strata grid`: many runs of one YAML file, and one table over them.
#include <CLI/CLI.hpp>

#include "host/cli/commands.hpp"
#include "host/cli/grid/subcommands.hpp"

namespace strata::cli {

void add_grid_command(CLI::App& app, int& exit_code) {
  CLI::App* const grid =
      app.add_subcommand("grid", "Run a grid of configurations, each in its own process, and compare them");
  grid->require_subcommand(1);
  grid->footer(
      "Examples:\n"
      "  strata grid plan configs/grids/optimizers.yaml\n"
      "  strata grid run configs/grids/optimizers.yaml --out grids/optimizers\n"
      "  strata grid run configs/grids/optimizers.yaml --engine slurm engine.partition=gpu "
      "engine.throttle=8\n"
      "  strata grid run configs/grids/optimizers.yaml --engine manifest | parallel --joblog jobs.txt\n"
      "  strata grid status grids/optimizers\n"
      "  strata grid resume grids/optimizers\n"
      "  strata grid retry grids/optimizers --status oom,failed\n"
      "  strata grid report grids/optimizers\n"
      "  strata grid export grids/optimizers --format csv");
  add_grid_plan_command(*grid, exit_code);
  add_grid_run_command(*grid, exit_code);
  add_grid_resume_command(*grid, exit_code);
  add_grid_retry_command(*grid, exit_code);
  add_grid_cell_command(*grid, exit_code);
  add_grid_status_command(*grid, exit_code);
  add_grid_report_command(*grid, exit_code);
  add_grid_export_command(*grid, exit_code);
}

}  // namespace strata::cli
