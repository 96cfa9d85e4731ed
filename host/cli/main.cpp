// SPDX-License-Identifier: Apache-2.0
// `strata`, the program. Results go to standard output, everything else to standard error.
#include <CLI/CLI.hpp>
#include <string>

#include "host/cli/child_process.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/explain.hpp"

namespace strata::cli {
namespace {

int parse(int count, char** words) {
  CLI::App app("Strata shows where a training step's memory and time go.", "strata");
  app.set_version_flag("--version", std::string("strata ") + STRATA_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  app.footer(
      "Examples:\n"
      "  strata doctor\n"
      "  strata run configs/quickstart.yaml\n"
      "  strata exec --dry h100-80gb -- python train.py\n"
      "  strata plugins allocator_tracer");
  int exit_code = kDone;
  add_run_command(app, exit_code);
  add_exec_command(app, exit_code);
  add_record_command(app);
  add_report_command(app, exit_code);
  add_top_command(app, exit_code);
  add_diff_command(app, exit_code);
  add_export_command(app, exit_code);
  add_bundle_command(app, exit_code);
  add_replay_command(app, exit_code);
  add_plot_command(app, exit_code);
  add_fit_command(app, exit_code);
  add_advise_command(app, exit_code);
  add_grid_command(app, exit_code);
  add_plugins_command(app, exit_code);
  add_devices_command(app, exit_code);
  add_doctor_command(app, exit_code);
  add_build_source_command(app, exit_code);
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& end) {
    return app.exit(end) == 0 ? kDone : kUsage;
  }
  return exit_code;
}

int main(int count, char** words) {
  keep_ended_children();
  try {
    return parse(count, words);
  } catch (...) {
    return explain_current_exception();
  }
}

}  // namespace
}  // namespace strata::cli

int main(int count, char** words) {
  return strata::cli::main(count, words);
}
