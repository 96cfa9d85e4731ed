// SPDX-License-Identifier: Apache-2.0
// The commands of `strata`. Each adds itself to the command line. Its action runs while the command line is
// parsed and stores the exit code in `exit_code`. `main` prints exceptions.
#pragma once

namespace CLI {
class App;
}

namespace strata::cli {

// For `fit` and `advise`: the words after `--` are a program, not a configuration. Inserted internally, not
// typed.
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
