// SPDX-License-Identifier: Apache-2.0
#include "host/grid/slurm/submit.hpp"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "host/config/reading/value.hpp"
#include "host/grid/processes/durable_file.hpp"
#include "host/grid/processes/program_output.hpp"

namespace strata::grid {
namespace {

std::string without_end(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  return text;
}

// The job number. `--parsable` prints only that, or with ";cluster" appended.
std::string submitted(const std::filesystem::path& script, const std::string& dependency) {
  std::vector<std::string> words{"sbatch", "--parsable"};
  if (!dependency.empty()) words.push_back("--dependency=afterany:" + dependency);
  words.push_back(script.string());
  const ProgramOutput said = output_of(words);
  std::string job = without_end(said.output.substr(0, said.output.find(';')));
  if (!said.is_well() || job.empty() || job.find_first_not_of("0123456789") != std::string::npos)
    throw SlurmError(fmt::format("sbatch did not accept {}: {}", script.string(),
                                 without_end(said.error.empty() ? said.output : said.error)));
  return job;
}

}  // namespace

std::int64_t max_array_size() {
  const ProgramOutput said = output_of({"scontrol", "show", "config"});
  if (!said.is_well())
    throw SlurmError(
        fmt::format("Slurm does not answer (scontrol show config): {}", without_end(said.error)));
  const auto key = said.output.find("MaxArraySize");
  const auto begin = said.output.find_first_of("0123456789", key);
  if (key == std::string::npos || begin == std::string::npos)
    throw SlurmError("scontrol show config reports no MaxArraySize");
  const auto number = config::parse_integer(
      said.output.substr(begin, said.output.find_first_not_of("0123456789", begin) - begin));
  if (!number || *number < 1) throw SlurmError("this Slurm accepts no job arrays: its MaxArraySize is 0");
  return *number;
}

Submission write_submission(const Plan& plan, std::vector<std::string> ids, std::int64_t max_array_size,
                            const ScriptPaths& paths) {
  Submission submission =
      divided(begin_submission(paths.grid), std::move(ids), plan.engine.slurm.pack, max_array_size);
  write_list(submission);
  for (std::size_t array = 0; array < submission.arrays.size(); ++array)
    write_durably(submission.array_script(array),
                  array_script(plan, submission, submission.arrays[array], paths));
  write_durably(submission.collector_script(), collector_script(plan, submission, paths));
  return submission;
}

void submit(Submission& submission, const Plan& plan) {
  std::string before, all;
  for (std::size_t array = 0; array < submission.arrays.size(); ++array) {
    ArrayJob& job = submission.arrays[array];
    job.job = submitted(submission.array_script(array), plan.engine.slurm.throttle ? before : "");
    before = job.job;
    all += (all.empty() ? "" : ":") + job.job;
    write_jobs(submission);
  }
  submission.collector = submitted(submission.collector_script(), all);
  write_jobs(submission);
}

}  // namespace strata::grid
