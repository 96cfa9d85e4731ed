// SPDX-License-Identifier: Apache-2.0
// The subcommands of `strata grid`. Each adds itself, as in commands.hpp.
#pragma once

namespace CLI {
class App;
}

namespace strata::cli {

void add_grid_plan_command(CLI::App& grid, int& exit_code);
void add_grid_run_command(CLI::App& grid, int& exit_code);
void add_grid_resume_command(CLI::App& grid, int& exit_code);
void add_grid_retry_command(CLI::App& grid, int& exit_code);
void add_grid_status_command(CLI::App& grid, int& exit_code);
void add_grid_report_command(CLI::App& grid, int& exit_code);
void add_grid_cell_command(CLI::App& grid, int& exit_code);
void add_grid_export_command(CLI::App& grid, int& exit_code);

}  // namespace strata::cli
