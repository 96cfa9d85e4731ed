// SPDX-License-Identifier: Apache-2.0
// The pictures of a run, in publication quality.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/report/plot/drawing.hpp"

namespace strata::report::plot {

enum class Picture : std::uint8_t {
  kMemory,      // stacked categories over time, with steps and phases above
  kCategories,  // mean, median, minimum and maximum of each category over the window
  kLayers,      // the memory of each module at the peak, by category
  kPeak         // memory alive at the peak, by kind
};

enum class Over : std::uint8_t {
  kTime,
  kEvents  // allocations and frees, all of equal width
};

struct PlotOptions {
  FileFormat format = FileFormat::kSvg;
  double width = 720.0, height = 400.0;  // points; the height of lists depends on their rows
  double pixels_a_point = 2.0;           // for PNG
  std::string title = {};                // empty: the run's name and device
  // For kMemory and kLayers: only this step; empty: the window, and its peak.
  std::optional<std::int64_t> step = {};
  bool whole_run = false;   // for kMemory: from the run's begin to its end instead
  Over over = Over::kTime;  // for kMemory
  // For kMemory: only the largest allocations by category, as counted by analysis::largest_blocks(), and all
  // others as one grey area.
  std::optional<double> detail = {};
  bool shapes = false;  // for kMemory: label the shapes of docs/shapes.md with arrows
};

// The file's contents. Throws DrawingError; std::out_of_range if the run has no such step.
std::string draw(const analysis::MemoryFacts& facts, Picture picture, const PlotOptions& options);

}  // namespace strata::report::plot
