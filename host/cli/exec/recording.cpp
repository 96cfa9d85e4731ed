// SPDX-License-Identifier: Apache-2.0
#include "host/cli/exec/recording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "host/analysis/ranks/job_facts.hpp"
#include "host/cli/cuda_driver.hpp"
#include "host/cli/job_results.hpp"
#include "host/cli/part_library.hpp"
#include "host/cli/processes.hpp"
#include "host/cli/results.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/training/session_options.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/loading/load.hpp"
#include "host/drop_in/settings.hpp"
#include "strata/runtime/check_plugins.hpp"
#include "strata/runtime/run_stores.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

// A user's program has none of our models, data or optimizers: it accepts only these sections.
constexpr std::string_view kSections[] = {"name", "plugins", "schedule", "trace", "cupti", "store"};

// Required keys of a training that do not apply to a program, and the defaults of a program. It may run for
// days: a store of this size is thinned from 1.1 GiB on, some 20 million allocations and frees, which a
// report reads in half a minute and 3 GiB.
constexpr const char* kProgram = R"(model: {name: transformer, size: small}
plugins: [allocator_tracer]
schedule: {wait: 0, warmup: 0, active: 1000000000}
store: {max_mb: 2048}
)";

constexpr const char* kDryCard =
    "If it needs a GPU and this machine has none: strata exec --dry h100-80gb -- ...";

void require_program_key(const std::string& setting) {
  const std::string_view key = std::string_view(setting).substr(0, setting.find('='));
  const std::string_view section = key.substr(0, key.find('.'));
  if (std::ranges::find(kSections, section) != std::end(kSections)) return;
  throw UsageError(
      fmt::format("exec: --set {}: only {} can be set for a program", setting, fmt::join(kSections, ", ")));
}

std::vector<std::string> overrides_of(const RecordingArguments& arguments, const std::string& name,
                                      const std::string& device) {
  std::vector<std::string> overrides{"name=" + name};
  if (!device.empty()) {
    overrides.push_back("device=" + device);
  } else if (has_nvidia_gpu()) {
    overrides.emplace_back("device=cuda");
  }
  if (arguments.plugins == "none") {
    overrides.emplace_back("plugins=[]");
  } else if (!arguments.plugins.empty()) {
    const bool is_list = arguments.plugins.starts_with('[');
    overrides.push_back(is_list ? "plugins=" + arguments.plugins
                                : fmt::format("plugins=[{}]", arguments.plugins));
  }
  for (const std::string& setting : arguments.settings) {
    require_program_key(setting);
    overrides.push_back(setting);
  }
  return overrides;
}

// CUPTI is not used if its records are not wanted.
void leave_out_cupti(SessionOptions& options) {
  const bool wanted = std::ranges::any_of(
      options.plugins, [](const PluginRequest& plugin) { return plugin.name.ends_with("cupti_timeline"); });
  if (!wanted)
    std::erase_if(options.sources, [](const PluginRequest& source) { return source.name == "cupti"; });
}

void ask_torch(SessionOptions& options, const char* key, const char* place) {
  for (PluginRequest& source : options.sources) {
    if (source.name == "torch") source.options.push_back({.key = key, .text = "true", .place = place});
  }
}

// For a Python program, stacks should include its own lines if possible.
void add_python_stacks(SessionOptions& options) {
  const bool wants_stacks = std::ranges::any_of(options.plugins, [](const PluginRequest& plugin) {
    return std::ranges::any_of(plugin.options,
                               [](const PluginOption& option) { return option.key.starts_with("stacks_"); });
  });
  if (wants_stacks) ask_torch(options, "python_stacks", "--plugins");
}

}  // namespace

ProgramRecording::ProgramRecording(const RecordingArguments& arguments, const std::string& name,
                                   const std::string& device)
    : config_(config::parse_config(kProgram, fs::current_path() / "strata exec",
                                   overrides_of(arguments, name, device),
                                   [](const auto& plugins) { return check_plugins(plugins); })),
      arguments_(arguments) {
  if (!arguments.out.empty()) RunDirectory::require_free(arguments.out);
}

fs::path ProgramRecording::preload_library() {
  return part_library_path("libstrata_preload.so");
}

std::map<std::string, std::string> ProgramRecording::begin() {
  directory_.emplace(arguments_.out.empty()
                         ? RunDirectory::create_default(config_.name, std::chrono::system_clock::now())
                         : RunDirectory::create(arguments_.out));
  SessionOptions options = session_options(config_, fs::absolute(directory_->path()), {});
  leave_out_cupti(options);
  if (arguments_.absent_peers) ask_torch(options, "absent_peers", "--world");
  if (arguments_.layers) ask_torch(options, "program_layers", "--layers");
  add_python_stacks(options);
  directory_->write_file(kSettingsFile, drop_in::settings_text(options));
  directory_->keep();
  return {{drop_in::kSettingsVariable, (fs::absolute(directory_->path()) / kSettingsFile).string()},
          {drop_in::kAttachVariable, part_library_path("libstrata_attach.so").string()}};
}

void ProgramRecording::end(const CommandEnd& end) {
  if (const std::string removal = RunDirectory::removal_of(directory_->path()); !removal.empty()) {
    say(removal);
    return;
  }
  // A Python exception ends with 1; torch raises one for a missing GPU.
  const bool may_want_gpu = end.exit_code == 1 && !config_.device.is_dry() && !has_nvidia_gpu();
  const Printed printed = arguments_.detail ? Printed::kTableToStandardError : Printed::kShortToStandardError;
  if (report_program(directory_->path(), end, printed)) {
    if (may_want_gpu) say(fmt::format("the command ended with 1. {}", kDryCard));
    return;
  }
  if (!find_run_stores(directory_->path()).empty()) {
    say(fmt::format("the recording cannot be read yet; free some space, then: strata report {}",
                    directory_->path().string()));
    return;
  }
  if (end.exit_code.value_or(0) != 0) {
    say(fmt::format("nothing was recorded: the command ended with {} before it allocated memory with torch{}",
                    *end.exit_code, may_want_gpu ? fmt::format(". {}", kDryCard) : ""));
  } else {
    say("nothing was recorded: the command allocated no memory with torch. If it uses a launcher (srun, "
        "sudo), check with `strata doctor --launcher 'WORDS'` that the launcher does not keep Strata out");
  }
  directory_->take_back();
}

bool report_program(const fs::path& run_directory, const CommandEnd& end, Printed printed) {
  const std::vector<RecordedProcess> processes = settle_processes(run_directory, end);
  for (const RecordedProcess& process : processes) {
    if (!process.lost.empty()) say(fmt::format("process {}: {}", process.pid, process.lost));
  }
  if (!processes.empty() && analysis::has_several_ranks(run_directory)) {
    write_job_results(run_directory, printed);
    return true;
  }
  for (const RecordedProcess& process : processes) {
    if (!process.is_main) continue;
    write_results(run_directory, printed,
                  process.rank == 0 ? std::nullopt : std::optional<std::uint64_t>(process.rank));
  }
  return !processes.empty();
}

}  // namespace strata::cli
