// SPDX-License-Identifier: Apache-2.0
// `strata replay`: the allocations of a recorded run, again, under other settings or on another card.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/reading/run_reader.hpp"
#include "host/cli/arguments.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/recorded_run.hpp"
#include "host/cli/replay/replay_run.hpp"
#include "host/cli/terminal.hpp"
#include "host/report/terminal/replay_table.hpp"

namespace strata::cli {
namespace {

struct ReplayArguments {
  std::string run;
  std::vector<std::string> settings;
  std::string profile, memory;
  std::optional<std::uint64_t> rank;
  bool keep_going = false;
  bool json = false;
};

std::optional<std::uint64_t> memory_bytes(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_size("replay: --memory", text);
}

void replay(const ReplayArguments& arguments) {
  const ReplayOptions options{.settings = arguments.settings,
                              .profile = arguments.profile,
                              .memory_bytes = memory_bytes(arguments.memory),
                              .goes_on = arguments.keep_going};
  const analysis::Recording run =
      analysis::read_run(recorded_run(arguments.run), arguments.rank, analysis::ReadingDetail::kAllocator);
  const analysis::Replay replay = replay_run(run, options);
  print(arguments.json ? analysis::replay_json(replay)
                       : report::replay_table(replay, wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO)));
}

}  // namespace

void add_replay_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ReplayArguments>();
  CLI::App* const command =
      app.add_subcommand("replay", "Repeat a run's CUDA allocations with other allocator settings");
  command->add_option("RUN", arguments->run, "Folder of a run, or a snapshot of torch.cuda.memory")
      ->required();
  command
      ->add_option(
          "--alloc-conf", arguments->settings,
          "Settings in the form of PYTORCH_CUDA_ALLOC_CONF, '' for the defaults; repeat it to replay several")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--dry", arguments->profile, "Card to replay on; see `strata devices` [the run's own]");
  command->add_option("--memory", arguments->memory,
                      "Memory of that card, such as 24GiB [as in its profile]");
  command->add_option("--rank", arguments->rank, "Rank to replay, if the run has several [the first]");
  command->add_flag("--keep-going", arguments->keep_going,
                    "When memory runs out, skip the block that does not fit and continue");
  command->add_flag("--json", arguments->json, "Print only the results, as JSON");
  command->footer(
      "The run's requests and frees are repeated with torch's own caching allocator on a dry GPU, without "
      "the\n"
      "model. The first row uses the run's own settings and card, and shows whether the replay matches the\n"
      "recording.\n\n"
      "Examples:\n"
      "  strata replay runs/quickstart/20261121T101500Z\n"
      "  strata replay runs/quickstart/20261121T101500Z --alloc-conf expandable_segments:True\n"
      "  strata replay runs/quickstart/20261121T101500Z --memory 24GiB --alloc-conf max_split_size_mb:128 "
      "--alloc-conf garbage_collection_threshold:0.8\n"
      "  strata replay runs/quickstart/20261121T101500Z --dry a100-40gb --json | jq '.replays[].fits'");
  command->callback([arguments, &exit_code] {
    replay(*arguments);
    exit_code = kDone;
  });
}

}  // namespace strata::cli
