// SPDX-License-Identifier: Apache-2.0
// The commands of `strata`. Each adds itself to the command line; its action runs while the command line is
// parsed and leaves the program's exit code in `exit_code`. What a command throws, `main` prints.
#pragma once

namespace CLI {
class App;
}

namespace strata::cli {

// Of `fit` and `advise`: what stands behind `--` is a program and no configuration. It is put in, not typed.
inline constexpr const char* kProgramFlag = "--of-a-program";

void add_run_command(CLI::App& app, int& exit_code);
void add_exec_command(CLI::App& app, int& exit_code);
void add_record_command(CLI::App& app);
void add_report_command(CLI::App& app, int& exit_code);
void add_top_command(CLI::App& app, int& exit_code);
void add_diff_command(CLI::App& app, int& exit_code);
void add_bundle_command(CLI::App& app, int& exit_code);
void add_export_command(CLI::App& app, int& exit_code);
void add_replay_command(CLI::App& app, int& exit_code);
void add_plot_command(CLI::App& app, int& exit_code);
void add_fit_command(CLI::App& app, int& exit_code);
void add_advise_command(CLI::App& app, int& exit_code);
void add_grid_command(CLI::App& app, int& exit_code);
void add_plugins_command(CLI::App& app, int& exit_code);
void add_devices_command(CLI::App& app, int& exit_code);
void add_doctor_command(CLI::App& app, int& exit_code);
void add_build_source_command(CLI::App& app, int& exit_code);

}  // namespace strata::cli
