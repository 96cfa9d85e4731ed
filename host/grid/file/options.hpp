// SPDX-License-Identifier: Apache-2.0
// What a grid file says of how its cells are run: `limits` and `engine`.
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

// What the grid does after a cell that has ended so.
enum class After { kGoOn, kStop };

struct Limits {
  std::uint64_t max_cells = 1000;
  std::optional<std::chrono::seconds> timeout;  // of one cell
  After on_oom = After::kGoOn;
  After on_fail = After::kGoOn;
  // Axes along which memory only grows: a cell at or beyond one that ran out of memory is skipped.
  std::vector<std::string> skip_dominated;
};

// Who starts cells: this program; Slurm, as tasks of arrays; or whoever runs the commands that it prints.
enum class EngineKind { kLocal, kSlurm, kManifest };

// "local", "slurm", "manifest".
std::string_view name_of(EngineKind kind);
std::optional<EngineKind> engine_named(std::string_view name);

struct Engine {
  EngineKind kind = EngineKind::kLocal;
  std::optional<std::int64_t> slots;          // cells at once; nothing: as many as cores and GPUs allow
  std::optional<std::uint64_t> memory_bytes;  // of the host for all cells; nothing: what is available
  std::int64_t cells_per_gpu = 1;
  SlurmOptions slurm;
  bool predicts = true;  // asks the dry GPU how much memory cells need before they share the machine
};

struct Options {
  Limits limits;
  Engine engine;
  std::int64_t repeats = 1;
  std::vector<std::int64_t> seeds;  // empty: `repeats` from the configuration's own on
};

// Whether "limits.timeout" and the like are settings of a grid and not of its runs.
bool is_option(std::string_view path);

// By path, as a file and the command line say them. Adds a problem for each that cannot be.
Options read_options(const std::map<std::string, config::WrittenValue>& written,
                     std::vector<config::Problem>& problems);

// "90", "90s", "10m", "2h".
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

}  // namespace strata::grid
