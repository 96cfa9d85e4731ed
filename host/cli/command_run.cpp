// `strata run`: everything is checked first, then a folder is made, then the training runs in this process.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/cli/commands.hpp"
#include "host/cli/cuda_driver.hpp"
#include "host/cli/dry_argument.hpp"
#include "host/cli/dry_gpu.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/interrupt.hpp"
#include "host/cli/progress.hpp"
#include "host/cli/results.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/session_options.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/trainer_library.hpp"
#include "host/config/device_profile.hpp"
#include "host/config/help.hpp"
#include "host/config/json_schema.hpp"
#include "host/config/load.hpp"
#include "host/config/model_sizes.hpp"
#include "strata/runtime/check_plugins.hpp"
#include "strata/runtime/session.hpp"

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

// Before LibTorch is opened: a dry device takes the place of CUDA's libraries; a real one has to be there.
std::optional<DryGpu> prepare_device(const config::DeviceConfig& device) {
  if (device.is_dry()) {
    if (has_nvidia_gpu())
      say(fmt::format("this machine has a GPU; it is not used, for the device is {}", to_text(device)));
    return std::optional<DryGpu>(std::in_place, dry_choice(device));
  }
  if (device.kind == config::DeviceKind::kCuda) {
    if (is_on_dry_gpu())
      throw UsageError(
          "device: cuda is a dry GPU in this process (strata exec --dry); give `strata run` --dry itself");
    require_gpu(device.index);
  }
  return std::nullopt;
}

// From a session that is up to its end. The run's folder is kept from here on, whatever comes.
trainer::Result train(trainer::RunFunction run, const config::RunConfig& config,
                      const std::optional<DryGpu>& dry, Session& session) {
  ProgressDisplay display(is_terminal(STDERR_FILENO));
  // Said at once, so that no record of this run can be taken for a measured one; again when all is counted.
  const auto describe_dry = [&] {
    if (dry) session.describe("dry", dry->describe());
  };
  describe_dry();
  return run({.config = config,
              .session = session,
              .on_step = [&](const trainer::Progress& progress) { display.show(progress); },
              .interrupt = InterruptGuard::signal(),
              .before_end = describe_dry});
}

int exit_code_of(const trainer::Result& result) {
  switch (result.outcome) {
    case trainer::Outcome::kDone:
      return kDone;
    case trainer::Outcome::kInterrupted:
      return kSignalBase + InterruptGuard::signal();
    case trainer::Outcome::kOutOfMemory:
      return kOutOfMemory;
    case trainer::Outcome::kFailed:
      break;
  }
  return kFailed;
}

void announce(const config::RunConfig& config, const std::optional<DryGpu>& dry,
              const std::filesystem::path& directory) {
  const std::string device =
      dry ? fmt::format("a dry {}, which computes nothing", dry->profile().name) : to_text(config.device);
  const std::string model = is_built_in(config.model.name)
                                ? fmt::format("{} parameters", config::parameter_count(config.model))
                                : config.model.file.filename().string();
  say(fmt::format("{}: {}, {} steps on {}, in {}", config.name, model, config::total_steps(config), device,
                  directory.string()));
}

void say_how_it_ended(const trainer::Result& result) {
  if (result.outcome == trainer::Outcome::kInterrupted) {
    say(fmt::format("interrupted after {} steps; this is the report of what ran", result.steps));
  } else if (result.outcome != trainer::Outcome::kDone) {
    say(fmt::format("the run failed after {} steps: {}", result.steps, result.message));
  }
}

// How the training ended is what a script must learn, also where its results cannot be written.
int show_results(const std::filesystem::path& directory, bool json, int exit_code) {
  try {
    write_results(directory, json);
  } catch (const std::exception& error) {
    say(error.what());
    return exit_code == kDone ? kFailed : exit_code;
  }
  return exit_code;
}

int run(const RunArguments& arguments) {
  const config::RunConfig config = load(arguments);
  if (!arguments.out.empty()) RunDirectory::require_free(arguments.out);
  const std::optional<DryGpu> dry = prepare_device(config.device);
  const trainer::RunFunction run_training = load_trainer();

  const InterruptGuard guard;
  RunDirectory directory = make_directory(arguments, config.name);
  directory.write_file("config.yaml", config.resolved_yaml);
  // The session's end writes the manifest and closes the store: analysis reads them after it.
  std::optional<Session> session(std::in_place, session_options(config, directory.path()));
  directory.keep();
  announce(config, dry, directory.path());
  const trainer::Result result = train(run_training, config, dry, *session);
  session.reset();

  say_how_it_ended(result);
  return show_results(directory.path(), arguments.json, exit_code_of(result));
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
        "run: expected a configuration, such as configs/quickstart.yaml; see `strata run --help`");
  }
  return run(arguments);
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* const command =
      app.add_subcommand("run", "Train as a YAML file says, and report where the memory went");
  command->add_option("CONFIG", arguments->config, "The run's YAML");
  command->add_option("OVERRIDE", arguments->overrides,
                      "key.path=value, whose value is YAML; wins over the file");
  add_dry_options(*command, arguments->dry);
  command->add_option("--out", arguments->out,
                      "Folder of the run, not there yet or empty [runs/<name>/<time>]");
  command->add_flag("--json", arguments->json, "Print summary.json and nothing else");
  command->add_flag("--help-config", arguments->help_config, "Print every key of the YAML and exit");
  command->add_flag("--json-schema", arguments->json_schema, "Print the YAML's JSON Schema and exit");
  command->footer(
      "The run's folder gets config.yaml, manifest.json, the run store, summary.json and report.html; the "
      "last line\n"
      "printed is the report's path. Ctrl-C ends the run after the current micro-batch, with its report; a "
      "second\n"
      "one at once.\n\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage or configuration, 3 out of device memory, 130 and 143 "
      "interrupted.\n\n"
      "Examples:\n"
      "  strata run configs/quickstart.yaml\n"
      "  strata run configs/quickstart.yaml optimizer.lr=1e-3 schedule.active=5\n"
      "  strata run configs/quickstart.yaml --dry h100-80gb\n"
      "  strata run configs/quickstart.yaml 'plugins=[]' --out /tmp/plain\n"
      "  strata run configs/quickstart.yaml --json | jq .peak.allocated_bytes");
  command->callback([arguments, &exit_code] { exit_code = run_or_explain(*arguments); });
}

}  // namespace strata::cli
