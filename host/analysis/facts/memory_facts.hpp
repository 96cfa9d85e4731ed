// SPDX-License-Identifier: Apache-2.0
// What a run allocated on its device, block by block and event by event, and what it came to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/failure.hpp"
#include "host/analysis/facts/layer_tree.hpp"
#include "host/analysis/facts/other_memory.hpp"
#include "host/analysis/facts/peak_context.hpp"
#include "host/analysis/facts/point.hpp"
#include "host/analysis/facts/program_facts.hpp"
#include "host/analysis/facts/samples.hpp"
#include "host/analysis/facts/statistics.hpp"

namespace strata::analysis {

struct MemoryFacts : ProgramFacts {
  std::string device = "cpu";
  std::string allocator_settings;  // as PYTORCH_ALLOC_CONF has them; empty also where nobody knows
  std::vector<Block> blocks;       // by birth_sequence
  std::vector<std::uint32_t> repeated_block_lengths;  // by text: layers/repeated_blocks.hpp
  std::vector<TensorForm> forms{{}};                  // dtypes and shapes that blocks have; [0] says nothing
  std::vector<Place> block_places;                    // the streams and pools that blocks are of
  std::vector<Point> points;                          // one for each allocation and free of the whole run
  std::vector<ReservedPoint> reserved;  // of the whole run; empty: the allocator keeps nothing back
  Samples samples;
  std::vector<std::uint64_t> failed_at;  // sequences at which an allocation failed, in order
  std::array<CategoryStatistics, kCategories> statistics{};
  CategoryStatistics total;
  Peak peak;                               // of the window; of what it begins with, at its begin
  PeakContext peak_context;                // of that peak
  LayerTree layers;                        // at that peak, and over its step
  std::vector<PlaceShare> places;          // of a CUDA device, at the peak; most reserved first
  std::vector<OutOfMemory> out_of_memory;  // by sequence
  std::vector<OtherMemory> other_memory;   // what allocated anything, by its name
};

}  // namespace strata::analysis
