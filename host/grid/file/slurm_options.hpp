// SPDX-License-Identifier: Apache-2.0
// What a grid file says of the Slurm jobs that run its cells: keys of `engine`, named as sbatch's options
// are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"

namespace strata::grid {

struct SlurmOptions {
  // sbatch's own words; empty: what the cluster says.
  std::string partition, account, qos, constraint, time, gres;
  std::optional<std::int64_t> cpus;      // of a task; nothing: as many as its cells keep busy
  std::optional<std::int64_t> gpus;      // of a task; nothing: as many as its cells need
  std::optional<std::int64_t> throttle;  // tasks at once; nothing: as many as the cluster lets
  std::int64_t pack = 1;                 // cells of one task
  bool requeue = true;
  std::vector<std::string> sbatch;  // further options, such as --exclusive
  std::vector<std::string> setup;   // lines of shell before the cells, such as `module load cuda`
};

// "engine.partition" and so on.
std::span<const std::string_view> slurm_option_names();

// Adds a problem for each that cannot be.
SlurmOptions read_slurm_options(const std::map<std::string, config::WrittenValue>& written,
                                std::vector<config::Problem>& problems);

// As a plan keeps them: JSON, which is read back as it was written. Throws nlohmann's exceptions.
std::string slurm_options_text(const SlurmOptions& options);
SlurmOptions parse_slurm_options(std::string_view text);

}  // namespace strata::grid
