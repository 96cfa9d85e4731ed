// SPDX-License-Identifier: Apache-2.0
// `strata run`: everything is checked first, then a folder is made, then the training runs, in this process
// or in one for each rank.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "host/cli/commands.hpp"
#include "host/cli/cuda_driver.hpp"
#include "host/cli/dry/dry_argument.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/training/rank_processes.hpp"
#include "host/cli/training/training_process.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/loading/load.hpp"
#include "host/config/schema/help.hpp"
#include "host/config/schema/json_schema.hpp"
#include "strata/runtime/check_plugins.hpp"

namespace strata::cli {
namespace {

struct RunArguments {
  std::string config;
  std::vector<std::string> overrides;
  DryArguments dry;
  std::string out;
  bool json = false;
  bool help_config = false;
  bool json_schema = false;
};

config::RunConfig load(const RunArguments& arguments) {
  std::vector<std::string> overrides = arguments.overrides;
  if (const std::string device = arguments.dry.device("run"); !device.empty())
    overrides.push_back("device=" + device);
  return config::load_config(arguments.config, overrides, [](const std::vector<PluginRequest>& plugins) {
    return check_plugins(plugins);
  });
}

RunDirectory make_directory(const RunArguments& arguments, const std::string& name) {
  if (!arguments.out.empty()) return RunDirectory::create(arguments.out);
  return RunDirectory::create_default(name, std::chrono::system_clock::now());
}

Printed printed(const RunArguments& arguments) {
  return arguments.json ? Printed::kSummary : Printed::kTable;
}

int run_alone(const RunArguments& arguments, const config::RunConfig& config) {
  TrainingProcess process(config, {.world_size = static_cast<std::uint32_t>(config.world_size)});
  RunDirectory directory = make_directory(arguments, config.name);
  directory.write_file("config.yaml", config.resolved_yaml);
  return process.run(directory.path(), printed(arguments), [&] { directory.keep(); });
}

// In a separate process, because a process that has opened CUDA's driver cannot fork ranks. Reports what is
// missing and returns its exit code.
int look_for_gpus(const config::RunConfig& config) {
  if (config.device.kind == config::DeviceKind::kCpu || config.device.is_dry()) return kDone;
  return run_rank_processes(1, [&](const trainer::RankPlace&) {
    require_gpu(config.world_size - 1);
    return kDone;
  });
}

// Each rank determines whether it can start. If none can, no files are left.
int run_all_ranks(const RunArguments& arguments, const config::RunConfig& config) {
  if (const int exit_code = look_for_gpus(config); exit_code != kDone) return exit_code;
  RunDirectory directory = make_directory(arguments, config.name);
  directory.write_file("config.yaml", config.resolved_yaml);
  const auto rank = [&](const trainer::RankPlace& place) {
    return TrainingProcess(config, place).run(directory.path(), printed(arguments), [] {});
  };
  const int exit_code = run_rank_processes(static_cast<std::uint32_t>(config.world_size), rank);
  if (RunDirectory::has_rank(directory.path())) directory.keep();
  if (exit_code == kDone && !arguments.json)
    say(fmt::format("to see its {} ranks side by side: strata report {}", config.world_size,
                    directory.path().string()));
  return exit_code;
}

// One folder for all, which the first rank makes.
int run_under_torchrun(const RunArguments& arguments, const config::RunConfig& config,
                       const trainer::RankPlace& place) {
  if (arguments.out.empty())
    throw UsageError("under torchrun all ranks write into one folder; name it with --out");
  TrainingProcess process(config, place);
  if (place.rank > 0) {
    speak_as(fmt::format("rank {}", place.rank));
    return process.run(RunDirectory::join(arguments.out, torchrun_start()), Printed::kNothing, [] {});
  }
  RunDirectory directory = make_directory(arguments, config.name);
  directory.write_file("config.yaml", config.resolved_yaml);
  directory.write_file(RunDirectory::kStartFile, torchrun_start());
  return process.run(directory.path(), printed(arguments), [&] { directory.keep(); });
}

int run(const RunArguments& arguments) {
  const config::RunConfig config = load(arguments);
  if (const auto place = place_from_torchrun(config)) return run_under_torchrun(arguments, config, *place);
  if (!arguments.out.empty()) RunDirectory::require_free(arguments.out);
  const bool needs_others = config.world_size > 1 && config.ddp.ranks == config::RanksThatRun::kAll;
  return needs_others ? run_all_ranks(arguments, config) : run_alone(arguments, config);
}

int run_or_explain(const RunArguments& arguments) {
  if (arguments.help_config) {
    print(config::help_text());
    return kDone;
  }
  if (arguments.json_schema) {
    print(config::json_schema());
    return kDone;
  }
  if (arguments.config.empty()) {
    throw UsageError(
        "run: expected a configuration, such as configs/first_run.yaml; see `strata run --help`");
  }
  return run(arguments);
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* const command =
      app.add_subcommand("run", "Train as a YAML file describes, and report where the memory went");
  command->add_option("CONFIG", arguments->config, "The run's YAML file");
  command->add_option("OVERRIDE", arguments->overrides,
                      "key.path=value, with a YAML value; overrides the file");
  add_dry_options(*command, arguments->dry);
  command->add_option("--out", arguments->out, "Folder for the run, new or empty [runs/<name>/<time>]");
  command->add_flag("--json", arguments->json, "Print only summary.json");
  command->add_flag("--help-config", arguments->help_config, "Print every key of the YAML and exit");
  command->add_flag("--json-schema", arguments->json_schema, "Print the YAML's JSON Schema and exit");
  command->footer(
      "The run's folder gets config.yaml, manifest.json, the run store, summary.json and report.html; the "
      "last line\n"
      "printed is the report's path. Ctrl-C ends the run after the current micro-batch and still writes the "
      "report;\n"
      "with save.at_end the run ends after the current step. A second Ctrl-C ends it at once.\n\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage or configuration, 3 out of device memory, 130 and 143 "
      "interrupted.\n\n"
      "Examples:\n"
      "  strata run configs/first_run.yaml\n"
      "  strata run configs/first_run.yaml optimizer.lr=1e-3 schedule.active=5\n"
      "  strata run configs/first_run.yaml --dry h100-80gb\n"
      "  strata run configs/first_run.yaml world_size=2\n"
      "  torchrun --no-python --nproc-per-node 2 strata run configs/first_run.yaml world_size=2 --out "
      "/tmp/two\n"
      "  strata run configs/first_run.yaml 'plugins=[]' --out /tmp/plain\n"
      "  strata run configs/first_run.yaml --json | jq .peak.allocated_bytes");
  command->callback([arguments, &exit_code] { exit_code = run_or_explain(*arguments); });
}

}  // namespace strata::cli
