// SPDX-License-Identifier: Apache-2.0
// The course of a run's program, in order, and the memory of its device: blocks, events and statistics.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/failure.hpp"
#include "host/analysis/facts/layer_tree.hpp"
#include "host/analysis/facts/other_memory.hpp"
#include "host/analysis/facts/peak_context.hpp"
#include "host/analysis/facts/phase.hpp"
#include "host/analysis/facts/point.hpp"
#include "host/analysis/facts/run_facts.hpp"
#include "host/analysis/facts/run_interval.hpp"
#include "host/analysis/facts/samples.hpp"
#include "host/analysis/facts/step.hpp"

namespace strata::analysis {

struct ProgramFacts : RunFacts {
  std::vector<std::string> texts;              // referred to by index in other facts; [0] is empty
  std::vector<PhaseFact> phases;               // by begin_sequence
  std::vector<StepFact> steps;                 // by index
  std::int64_t first_step = 0, last_step = 0;  // the window covered by the statistics
  std::int64_t window_begin_ns = 0, window_end_ns = 0;
  std::uint64_t window_begin_sequence = 0, window_end_sequence = UINT64_MAX;
};

// The interval of that step; the window if the run has no such step.
RunInterval interval_of(const ProgramFacts& facts, std::int64_t step);

struct MemoryFacts : ProgramFacts {
  std::string device = "cpu";
  bool on_host() const { return device == "cpu"; }
  std::string allocator_settings;                     // as in PYTORCH_ALLOC_CONF; also empty if unknown
  std::vector<Block> blocks;                          // by birth_sequence
  std::vector<std::uint32_t> repeated_block_lengths;  // by text: layers/repeated_blocks.hpp
  std::vector<TensorForm> forms{{}};                  // dtypes and shapes of blocks; [0] is empty
  std::vector<Place> block_places;                    // the streams and pools of blocks
  std::vector<Point> points;                          // one for each allocation and free of the whole run
  std::vector<ReservedPoint> reserved;                // of the whole run; empty: the allocator does not cache
  Samples samples;
  std::vector<std::uint64_t> failed_at;        // sequences of failed allocations, in order
  std::vector<FailedForward> failed_forwards;  // by sequence; none without recorded modules
  std::array<CategoryStatistics, kCategories> statistics{};
  CategoryStatistics total;
  Peak peak;                               // of the window, which includes the value at its begin
  PeakContext peak_context;                // of that peak
  LayerTree layers;                        // at that peak, and over its step
  std::vector<PlaceShare> places;          // of a CUDA device, at the peak; most reserved first
  std::vector<OutOfMemory> out_of_memory;  // by sequence
  std::vector<OtherMemory> other_memory;   // devices with any allocation, by name
};

}  // namespace strata::analysis
