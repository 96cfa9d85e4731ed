// SPDX-License-Identifier: Apache-2.0
// The options of nvtx_markers. What the headers that it was built with do not know is not offered.
#pragma once

#include <array>

#include "plugins/nvtx_markers/counters.hpp"
#include "plugins/nvtx_markers/heaps.hpp"
#include "strata/entry.h"

namespace strata::nvtx_markers {

inline constexpr std::array kOptions {
  strata_option{
      .key = "capture",
      .type = STRATA_OPTION_TEXT,
      .reserved = 0,
      .default_text = "none",
      .help =
          "What begins and ends with the active window: nothing; the ranges themselves, so that nsys "
          "-c nvtx -p step@strata records its steps; or cudaProfilerStart and -Stop, for nsys -c "
          "cudaProfilerApi.",
      .choices = "none|nvtx|cuda_profiler_api",
      .minimum = 0,
      .maximum = 0},
      strata_option{.key = "layers",
                    .type = STRATA_OPTION_FLAG,
                    .reserved = 0,
                    .default_text = "true",
                    .help = "A range for each layer at work, on the thread that does it.",
                    .choices = nullptr,
                    .minimum = 0,
                    .maximum = 0},
      strata_option{
          .key = "memory",
          .type = STRATA_OPTION_TEXT,
          .reserved = 0,
          .default_text = kBuiltWithCounters ? "counters" : "marks",
          .help =
              kBuiltWithCounters
                  ? "Allocated and reserved bytes: as NVTX counters at every change, where the tool knows "
                    "them, else as marks at the ends of phases and steps."
                  : "Allocated and reserved bytes, as marks at the ends of phases and steps; the NVTX "
                    "headers of this build have no counters.",
          .choices = kBuiltWithCounters ? "counters|marks|none" : "marks|none",
          .minimum = 0,
          .maximum = 0},
#if STRATA_NVTX_HEAPS
      strata_option{
          .key = "heaps",
          .type = STRATA_OPTION_FLAG,
          .reserved = 0,
          .default_text = "false",
          .help = "CUDA segments as NVTX heaps and blocks as regions in them, for Compute Sanitizer.",
          .choices = nullptr,
          .minimum = 0,
          .maximum = 0},
#endif
};

// As the option `capture` says it.
enum class Capture { kNone, kNvtx, kCudaProfilerApi };

}  // namespace strata::nvtx_markers
