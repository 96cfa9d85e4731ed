// SPDX-License-Identifier: Apache-2.0
// Decides which cells fit on this machine at once: by cores, by GPUs, and by their predicted memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/grid/file/options.hpp"
#include "host/grid/plan/plan.hpp"

namespace strata::grid {

struct Machine {
  std::int64_t cores = 1;
  // The GPUs available to cells, as named in CUDA_VISIBLE_DEVICES: numbers, or UUIDs of GPUs and their parts.
  std::vector<std::string> gpus;
  std::uint64_t memory_bytes = 0;  // of the host, available; 0: unknown, not considered
};

// As limited for this process by CUDA_VISIBLE_DEVICES and the scheduler's affinity. `gpus` is the number of
// existing ones.
Machine this_machine(std::int64_t gpus);

struct Demand {
  Needs needs;
  std::uint64_t host_bytes = 0;  // predicted; 0: unknown
};

struct Place {
  std::vector<std::string> gpus;
  std::int64_t cores = 0;
  std::uint64_t host_bytes = 0;
};

class Placement {
 public:
  Placement(Machine machine, const Engine& engine);

  // Empty while it does not fit next to running cells. A cell that never fits runs alone, but one that needs
  // more GPUs than exist gets none.
  std::optional<Place> take(const Demand& demand);
  void give_back(const Place& place);
  std::int64_t running() const { return running_; }

 private:
  Machine machine_;
  Engine engine_;
  std::int64_t running_ = 0, cores_taken_ = 0;
  std::uint64_t bytes_taken_ = 0;
  std::vector<std::int64_t> cells_on_gpu_;  // by index in machine_.gpus
};

}  // namespace strata::grid
