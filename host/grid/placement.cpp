// SPDX-License-Identifier: Apache-2.0
#include "host/grid/placement.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "host/config/reading/value.hpp"

namespace strata::grid {
namespace {

std::uint64_t available_bytes() {
  std::ifstream in("/proc/meminfo");
  std::string name, unit;
  for (std::uint64_t kibibytes = 0; in >> name >> kibibytes;) {
    if (name == "MemAvailable:") return kibibytes << 10;
    std::getline(in, unit);
  }
  return 0;
}

std::int64_t cores_of_this_process() {
  cpu_set_t allowed;
  const std::int64_t cores = sched_getaffinity(0, sizeof(allowed), &allowed) == 0
                                 ? CPU_COUNT(&allowed)
                                 : std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  // Clusters that do not bind tasks to cores count on them to keep to theirs.
  const char* const task = std::getenv("SLURM_CPUS_PER_TASK");
  const auto granted = task == nullptr ? std::nullopt : config::parse_integer(task);
  return granted && *granted > 0 ? std::min(cores, *granted) : cores;
}

std::vector<std::string> visible_gpus(std::int64_t count) {
  std::vector<std::string> names;
  const char* const variable = std::getenv("CUDA_VISIBLE_DEVICES");
  std::string_view rest = variable == nullptr ? "" : variable;
  // CUDA stops at the first unknown one, so there may be fewer than are named.
  while (!rest.empty() && names.size() < static_cast<std::size_t>(count)) {
    const auto comma = rest.find(',');
    names.emplace_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  if (names.size() == static_cast<std::size_t>(count)) return names;
  names.clear();
  for (std::int64_t index = 0; index < count; ++index) names.push_back(std::to_string(index));
  return names;
}

}  // namespace

Machine this_machine(std::int64_t gpus) {
  return {.cores = cores_of_this_process(), .gpus = visible_gpus(gpus), .memory_bytes = available_bytes()};
}

Placement::Placement(Machine machine, const Engine& engine)
    : machine_(std::move(machine)), engine_(engine), cells_on_gpu_(machine_.gpus.size(), 0) {
  if (engine.memory_bytes) machine_.memory_bytes = *engine.memory_bytes;
}

std::optional<Place> Placement::take(const Demand& demand) {
  const bool alone = running_ == 0;
  const std::int64_t slots = engine_.slots.value_or(std::numeric_limits<std::int64_t>::max());
  if (running_ >= slots) return std::nullopt;

  // If the user sets the number of simultaneous cells, cores are not counted.
  const std::int64_t cores =
      demand.needs.cores == 0 ? machine_.cores : std::min(demand.needs.cores, machine_.cores);
  if (!alone && !engine_.slots && cores_taken_ + cores > machine_.cores) return std::nullopt;
  const bool counts_memory = machine_.memory_bytes > 0;
  if (!alone && counts_memory && bytes_taken_ + demand.host_bytes > machine_.memory_bytes)
    return std::nullopt;

  Place place{.gpus = {}, .cores = cores, .host_bytes = demand.host_bytes};
  std::vector<std::size_t> chosen;
  for (std::size_t gpu = 0; gpu < cells_on_gpu_.size(); ++gpu) {
    if (static_cast<std::int64_t>(chosen.size()) == demand.needs.gpus) break;
    if (cells_on_gpu_[gpu] < engine_.cells_per_gpu) chosen.push_back(gpu);
  }
  if (static_cast<std::int64_t>(chosen.size()) < demand.needs.gpus) return std::nullopt;
  for (const std::size_t gpu : chosen) {
    ++cells_on_gpu_[gpu];
    place.gpus.push_back(machine_.gpus[gpu]);
  }
  ++running_;
  cores_taken_ += cores;
  bytes_taken_ += demand.host_bytes;
  return place;
}

void Placement::give_back(const Place& place) {
  --running_;
  cores_taken_ -= place.cores;
  bytes_taken_ -= place.host_bytes;
  for (const std::string& name : place.gpus) {
    const auto gpu = std::ranges::find(machine_.gpus, name);
    --cells_on_gpu_[static_cast<std::size_t>(gpu - machine_.gpus.begin())];
  }
}

}  // namespace strata::grid
