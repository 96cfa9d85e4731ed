// SPDX-License-Identifier: Apache-2.0
// `strata record`: called by programs that open their own session, as the Python package does. `begin`
// creates the run's folder and writes the session's settings to a file; `end` processes the recording like
// `strata exec`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/commands.hpp"
#include "host/cli/exec/recording.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"

namespace strata::cli {
namespace {

struct BeginArguments {
  RecordingArguments recording;
  std::string program = "run";
};

struct EndArguments {
  std::string run;
  bool quiet = false;
};

void begin(const BeginArguments& arguments) {
  ProgramRecording recording(arguments.recording, arguments.program, {});
  recording.begin();
  const std::filesystem::path folder = std::filesystem::absolute(recording.folder());
  print(nlohmann::ordered_json{{"run", folder.string()}, {"settings", (folder / kSettingsFile).string()}}
            .dump() +
        '\n');
}

void end(const EndArguments& arguments) {
  if (!std::filesystem::is_directory(arguments.run))
    throw UsageError(fmt::format("record end: the folder {} does not exist", arguments.run));
  if (report_program(std::filesystem::absolute(arguments.run), {},
                     arguments.quiet ? Printed::kNothing : Printed::kTableToStandardError))
    return;
  say(fmt::format(
      "nothing was recorded in {}: torch allocated no memory between the begin and the end of the run",
      arguments.run));
}

}  // namespace

void add_record_command(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("record", "For programs that open a session themselves, as the Python package does");
  command->require_subcommand(1);

  auto begun = std::make_shared<BeginArguments>();
  CLI::App* const begins = command->add_subcommand("begin", "Create the run's folder, and print it as JSON");
  begins->add_option("--plugins", begun->recording.plugins, "As in strata exec [allocator_tracer]");
  begins->add_option("--set", begun->recording.settings, "KEY=VALUE, as in strata exec");
  begins->add_option("--out", begun->recording.out, "Folder for the run, new or empty [runs/<name>/<time>]");
  begins->add_flag("--layers", begun->recording.layers, "As in strata exec");
  begins->add_option("--program", begun->program, "Name of the run, unless --set gives one [run]");
  begins->footer("Example:\n  strata record begin --program train.py --out runs/mine");
  begins->callback([begun] { begin(*begun); });

  auto ended = std::make_shared<EndArguments>();
  CLI::App* const ends =
      command->add_subcommand("end", "Write summary.json and report.html of the recorded run");
  ends->add_option("RUN", ended->run, "The run's folder")->required();
  ends->add_flag("--quiet", ended->quiet, "Print no table on standard error");
  ends->footer("Example:\n  strata record end runs/mine --quiet");
  ends->callback([ended] { end(*ended); });
}

}  // namespace strata::cli
