// SPDX-License-Identifier: Apache-2.0
#include "host/grid/slurm/script.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/report/shell_word.hpp"

namespace strata::grid {
namespace {

// sbatch reads words in its lines as the shell does, and patterns in names of files.
std::string file_pattern(const std::filesystem::path& folder, const char* name) {
  std::string text;
  for (const char c : folder.string()) {
    if (c == '%') text += '%';
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return fmt::format("\"{}/{}\"", text, name);
}

class Lines {
 public:
  void add(const std::string& option, const std::string& value) {
    if (!value.empty()) text_ += fmt::format("#SBATCH --{}={}\n", option, value);
  }
  void add(const std::string& option, std::optional<std::int64_t> value) {
    if (value) add(option, std::to_string(*value));
  }
  void add_written(const std::string& words) { text_ += fmt::format("#SBATCH {}\n", words); }
  const std::string& text() const { return text_; }

 private:
  std::string text_ = "#!/bin/sh\n";
};

Lines begun(const Plan& plan, const Submission& submission, const char* output) {
  const SlurmOptions& options = plan.engine.slurm;
  Lines lines;
  lines.add("job-name", "strata-" + plan.name);
  lines.add("output", file_pattern(submission.folder, output));
  lines.add("open-mode", "append");
  lines.add("partition", options.partition);
  lines.add("account", options.account);
  lines.add("qos", options.qos);
  return lines;
}

// The most that one of the submission's cells needs.
std::optional<std::int64_t> most(const Plan& plan, const Submission& submission, std::int64_t Needs::*need) {
  std::int64_t found = 0;
  for (const Cell& cell : plan.cells) {
    if (std::ranges::find(submission.ids, cell.id) != submission.ids.end())
      found = std::max(found, cell.needs.*need);
  }
  return found > 0 ? std::optional(found) : std::nullopt;
}

std::string setup_text(const SlurmOptions& options) {
  std::string text;
  for (const std::string& line : options.setup) text += line + '\n';
  return text;
}

}  // namespace

std::string array_script(const Plan& plan, const Submission& submission, const ArrayJob& array,
                         const ScriptPaths& paths) {
  const SlurmOptions& options = plan.engine.slurm;
  Lines lines = begun(plan, submission, "%A_%a.txt");
  lines.add("array", fmt::format("0-{}{}", array.tasks - 1,
                                 options.throttle ? fmt::format("%{}", *options.throttle) : ""));
  lines.add("constraint", options.constraint);
  lines.add("time", options.time);
  lines.add("cpus-per-task", options.cpus ? options.cpus : most(plan, submission, &Needs::cores));
  if (plan.engine.memory_bytes)
    lines.add("mem", fmt::format("{}M", (*plan.engine.memory_bytes + 1048575) >> 20));
  const auto gpus = options.gpus ? options.gpus : most(plan, submission, &Needs::gpus);
  if (!options.gres.empty())
    lines.add("gres", options.gres);
  else if (gpus && *gpus > 0)
    lines.add("gres", fmt::format("gpu:{}", *gpus));
  lines.add_written(options.requeue ? "--requeue" : "--no-requeue");
  for (const std::string& words : options.sbatch) lines.add_written(words);
  const std::string command =
      report::shell_line({paths.program, "grid", "cell", paths.grid, "--list", submission.list(), "--offset",
                          std::to_string(array.offset), "--pack", std::to_string(submission.pack)});
  return lines.text() + setup_text(options) +
         fmt::format("exec {} --index \"$SLURM_ARRAY_TASK_ID\"\n", command);
}

std::string collector_script(const Plan& plan, const Submission& submission, const ScriptPaths& paths) {
  return begun(plan, submission, "collect-%j.txt").text() + setup_text(plan.engine.slurm) +
         fmt::format("exec {}\n", report::shell_line({paths.program, "grid", "report", paths.grid}));
}

}  // namespace strata::grid
