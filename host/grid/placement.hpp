// SPDX-License-Identifier: Apache-2.0
// Which cells fit on this machine at once: by cores, by GPUs, and by the memory that they are thought to
// need.
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
  // What cells may be given, as CUDA_VISIBLE_DEVICES names them: numbers, or UUIDs of GPUs and their parts.
  std::vector<std::string> gpus;
  std::uint64_t memory_bytes = 0;  // of the host, available; 0: not known, and not counted
};

// As CUDA_VISIBLE_DEVICES and the scheduler's affinity leave it to this process. `gpus` are those that there
// are.
Machine this_machine(std::int64_t gpus);

struct Demand {
  Needs needs;
  std::uint64_t host_bytes = 0;  // predicted; 0: not known
};

struct Place {
  std::vector<std::string> gpus;
  std::int64_t cores = 0;
  std::uint64_t host_bytes = 0;
};

class Placement {
 public:
  Placement(Machine machine, const Engine& engine);

  // Nothing while it does not fit beside those that run. What fits nowhere runs alone; but a cell that needs
  // more GPUs than there are gets none.
  std::optional<Place> take(const Demand& demand);
  void give_back(const Place& place);
  std::int64_t running() const { return running_; }

 private:
  Machine machine_;
  Engine engine_;
  std::int64_t running_ = 0, cores_taken_ = 0;
  std::uint64_t bytes_taken_ = 0;
  std::vector<std::int64_t> cells_on_gpu_;  // by its place in machine_.gpus
};

}  // namespace strata::grid
