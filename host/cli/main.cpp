// `strata`, the program. Results go to standard output, everything else to standard error.
#include <CLI/CLI.hpp>
#include <exception>
#include <string>

#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/terminal.hpp"
#include "host/config/problem.hpp"
#include "strata/runtime/session.hpp"

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
  add_report_command(app, exit_code);
  add_plugins_command(app, exit_code);
  add_devices_command(app, exit_code);
  add_doctor_command(app, exit_code);
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& end) {
    return app.exit(end) == 0 ? kDone : kUsage;
  }
  return exit_code;
}

int main(int count, char** words) {
  try {
    return parse(count, words);
  } catch (const config::ConfigError& error) {
    // Lines of their own, as compilers write them, so that editors find the place.
    complain(std::string(error.what()) + '\n');
    return kUsage;
  } catch (const SessionError& error) {
    for (const std::string& problem : error.problems()) say(problem);
    return kUsage;
  } catch (const UsageError& error) {
    say(error.what());
    return kUsage;
  } catch (const std::exception& error) {
    say(error.what());
    return kFailed;
  }
}

}  // namespace
}  // namespace strata::cli

int main(int count, char** words) {
  return strata::cli::main(count, words);
}
