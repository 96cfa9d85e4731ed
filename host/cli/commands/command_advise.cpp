// SPDX-License-Identifier: Apache-2.0
// `strata advise`: what would make a training need less memory, each change tried on a dry card.
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/cli/commands.hpp"
#include "host/cli/commands/advise_trials.hpp"
#include "host/cli/dry/trial_output.hpp"
#include "host/cli/dry_gpu.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/terminal.hpp"
#include "host/what_if/advice_text.hpp"

namespace strata::cli {
namespace {

// Separate codes, so that a script can ask whether the training fits.
constexpr int kFitsWithChanges = 3, kFitsInNoWay = 4;

int exit_code_of(const what_if::Advice& advice) {
  if (advice.base.fits) return kDone;
  return advice.least ? kFitsWithChanges : kFitsInNoWay;
}

}  // namespace

Advised advise(const AdviseArguments& arguments) {
  require_dry_gpu();
  const std::unique_ptr<AdviseTrials> trials = advise_trials(arguments);
  const config::DeviceProfile& card = trials->card();
  const what_if::Advice advice = what_if::advise(card.memory_bytes, *trials);
  const what_if::AdvisedDevice advised{card.key, card.name, card.memory_bytes};
  const auto command = [&](const what_if::Selection& changes, what_if::On on) {
    return trials->command(changes, on);
  };
  const std::vector<what_if::Change>& changes = trials->changes();
  return {.text = arguments.json ? what_if::advice_json(changes, advised, advice, command).dump(2) + '\n'
                                 : what_if::advice_text(changes, advised, advice, command),
          .exit_code = exit_code_of(advice)};
}

void add_advise_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<AdviseArguments>();
  CLI::App* const command =
      app.add_subcommand("advise", "Find changes that make a training need less memory, by trying each one");
  command->add_option("CONFIG", arguments->config, "The run's YAML file; or -- and your own program")
      ->required();
  command->add_option("OVERRIDE", arguments->overrides,
                      "key.path=value, with a YAML value; overrides the file");
  command->add_flag(kProgramFlag, arguments->is_program)->group("");
  command->add_option("--device", arguments->device, "Card [the YAML's dry device]; see `strata devices`");
  command->add_option("--device-memory", arguments->memory,
                      "Memory that trials may use on the card, such as 22GiB [the YAML's; else the card's]");
  command->add_option("--steps,--trial-steps", arguments->steps, "Steps of each trial [2]")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--jobs", arguments->jobs,
                   "Number of trials to run at once [as many as cores and memory allow]")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", arguments->json, "Print JSON, including how to make each change");
  command->footer(
      "Every number comes from a run of a few steps on a dry GPU, in its own process; none is predicted. "
      "Changes\n"
      "that do not alter the training come first, tried one by one and together: checkpoints, smaller parts "
      "of the\n"
      "batch, the optimizer's implementation, attention, casts, the allocator's settings. Changes that alter "
      "the\n"
      "training follow: number formats, 8-bit state.\n\n"
      "A Python program needs no changes: Strata makes them from outside, and ends each trial after --steps\n"
      "optimizer steps. The lines below the table show what to write into the program.\n\n"
      "Exit codes: 0 it fits as it is; 3 it fits with changes; 4 it fits with none of them; 1 a trial "
      "failed; 2 bad\n"
      "usage or configuration.\n\n"
      "Examples:\n"
      "  strata advise --device rtx-4090 -- python train.py --batch-size 16\n"
      "  strata advise --device h100-80gb --device-memory 70GiB -- python train.py\n"
      "  strata advise llama.yaml --device rtx-4090\n"
      "  strata advise llama.yaml data.batch_size=16 --device a100-40gb --json | jq .least.command");
  command->callback([arguments, &exit_code] {
    try {
      const Advised advised = advise(*arguments);
      print(advised.text);
      exit_code = advised.exit_code;
    } catch (const TrialInterrupted& interrupted) {
      say("interrupted");
      exit_code = interrupted.exit_code();
    }
  });
}

}  // namespace strata::cli
