// SPDX-License-Identifier: Apache-2.0
// The pictures of a run, ready for a paper.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/report/plot/drawing.hpp"

namespace strata::report::plot {

enum class Picture : std::uint8_t {
  kMemory,      // stacked categories over time, with steps and phases above
  kCategories,  // of each category the mean, the median, the least and the most over the window
  kLayers,      // what each module holds at the peak, by category
  kPeak         // what is alive at the peak, by kind
};

enum class Over : std::uint8_t {
  kTime,
  kEvents  // allocations and frees, each as wide as any other
};

struct PlotOptions {
  FileFormat format = FileFormat::kSvg;
  double width = 720.0, height = 400.0;  // points; of lists the height is what their rows need
  double pixels_a_point = 2.0;           // of a PNG
  std::string title = {};                // empty: the run's name and device
  // Of kMemory and kLayers: this step alone; nothing: the window, and its peak.
  std::optional<std::int64_t> step = {};
  bool whole_run = false;   // of kMemory: from the run's begin to its end instead
  Over over = Over::kTime;  // of kMemory
  // Of kMemory: the largest allocations alone by category, as analysis::largest_blocks() counts, and all
  // others as one grey area.
  std::optional<double> detail = {};
  bool shapes = false;  // of kMemory: with what docs/shapes.md names, each with an arrow
};

// The file's content. Throws DrawingError; std::out_of_range when the run has no such step.
std::string draw(const analysis::MemoryFacts& facts, Picture picture, const PlotOptions& options);

}  // namespace strata::report::plot
