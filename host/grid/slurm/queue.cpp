// SPDX-License-Identifier: Apache-2.0
#include "host/grid/slurm/queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "host/config/reading/value.hpp"
#include "host/grid/processes/program_output.hpp"

namespace strata::grid {
namespace {

// Never empty: some versions of squeue print nothing when they fail.
std::string reason_of(const ProgramOutput& said) {
  const std::string line = said.error.substr(0, said.error.find('\n'));
  return line.empty() ? fmt::format("squeue ended with {}", said.exit_code) : line;
}

}  // namespace

std::map<std::string, QueuedTask> queued_cells(std::string_view squeue,
                                               const std::vector<Submission>& submissions) {
  std::map<std::string, QueuedTask> by_cell;
  std::istringstream in{std::string(squeue)};
  for (std::string line; std::getline(in, line);) {
    std::istringstream parts(line);
    std::string job, index, state;
    if (!std::getline(parts, job, '|') || !std::getline(parts, index, '|') ||
        !std::getline(parts, state, '|'))
      continue;
    const auto task = config::parse_integer(index);
    // A completing task has done its work, or will not do any more.
    if (!task || *task < 0 || state == "COMPLETING") continue;
    for (const Submission& submission : submissions) {
      const auto array = std::ranges::find(submission.arrays, job, &ArrayJob::job);
      if (array == submission.arrays.end() || *task >= array->tasks) continue;
      const auto count = static_cast<std::int64_t>(submission.ids.size());
      const std::int64_t first = (*task + array->offset) * submission.pack;
      for (std::int64_t cell = first; cell < std::min(count, first + submission.pack); ++cell)
        by_cell[submission.ids[static_cast<std::size_t>(cell)]] = {.job = fmt::format("{}_{}", job, index),
                                                                   .state = state};
    }
  }
  return by_cell;
}

Queue queue_of(const std::filesystem::path& grid) {
  const std::vector<Submission> submissions = submissions_of(grid);
  if (submissions.empty()) return {};
  const ProgramOutput said = output_of({"squeue", "--me", "--noheader", "--array", "--format=%F|%K|%T"});
  if (!said.is_well()) return {.by_cell = {}, .problem = reason_of(said)};
  return {.by_cell = queued_cells(said.output, submissions), .problem = {}};
}

}  // namespace strata::grid
