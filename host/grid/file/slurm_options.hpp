// SPDX-License-Identifier: Apache-2.0
// The Slurm options in a grid file: keys of `engine` with the names of sbatch's options.
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
  // sbatch's own values; empty: the cluster's defaults.
  std::string partition, account, qos, constraint, time, gres;
  std::optional<std::int64_t> cpus;      // per task; empty: as many as its cells keep busy
  std::optional<std::int64_t> gpus;      // per task; empty: as many as its cells need
  std::optional<std::int64_t> throttle;  // tasks at once; empty: as many as the cluster allows
  std::int64_t pack = 1;                 // cells per task
  bool requeue = true;
  std::vector<std::string> sbatch;  // further options, such as --exclusive
  std::vector<std::string> setup;   // shell lines to run before the cells, such as `module load cuda`
};

// "engine.partition" and so on.
std::span<const std::string_view> slurm_option_names();

// Adds a problem for each invalid one.
SlurmOptions read_slurm_options(const std::map<std::string, config::WrittenValue>& written,
                                std::vector<config::Problem>& problems);

// The form stored in a plan: JSON that is read back unchanged. Throws nlohmann's exceptions.
std::string slurm_options_text(const SlurmOptions& options);
SlurmOptions parse_slurm_options(std::string_view text);

}  // namespace strata::grid
