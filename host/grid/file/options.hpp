// SPDX-License-Identifier: Apache-2.0
// The options in a grid file for running its cells: `limits` and `engine`.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"
#include "host/grid/file/slurm_options.hpp"

namespace strata::grid {

// What the grid does after a cell has ended in a certain way.
enum class After { kGoOn, kStop };

struct Limits {
  std::uint64_t max_cells = 1000;
  std::optional<std::chrono::seconds> timeout;  // per cell
  After on_oom = After::kGoOn;
  After on_fail = After::kGoOn;
  // Axes along which memory only grows: a cell at or above one that ran out of memory is skipped.
  std::vector<std::string> skip_dominated;
};

// What starts the cells: this program; Slurm, as tasks of arrays; or the user, with the printed commands.
enum class EngineKind { kLocal, kSlurm, kManifest };

// "local", "slurm", "manifest".
std::string_view name_of(EngineKind kind);
std::optional<EngineKind> engine_named(std::string_view name);

struct Engine {
  EngineKind kind = EngineKind::kLocal;
  std::optional<std::int64_t> slots;          // cells at once; empty: as many as cores and GPUs allow
  std::optional<std::uint64_t> memory_bytes;  // host memory for all cells; empty: all available
  std::int64_t cells_per_gpu = 1;
  SlurmOptions slurm;
  bool predicts = true;  // predicts the memory of cells on the dry GPU before they share the machine
};

struct Options {
  Limits limits;
  Engine engine;
  std::int64_t repeats = 1;
  std::vector<std::int64_t> seeds;  // empty: `repeats` of them, starting with the configuration's own
};

// Whether "limits.timeout" and the like are settings of a grid and not of its runs.
bool is_option(std::string_view path);

// By path, from the file and the command line. Adds a problem for each invalid one.
Options read_options(const std::map<std::string, config::WrittenValue>& written,
                     std::vector<config::Problem>& problems);

// "90", "90s", "10m", "2h".
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

}  // namespace strata::grid
