// SPDX-License-Identifier: Apache-2.0
// The options of nvtx_markers. Features missing from the headers it was built with are not offered.
#pragma once

#include <array>

#include "plugins/nvtx_markers/counters.hpp"
#include "plugins/nvtx_markers/heaps.hpp"
#include "strata/option.hpp"

namespace strata::nvtx_markers {

inline constexpr std::array kOptions {
  option::choice("capture", "none|nvtx|cuda_profiler_api", "none",
                 "How to limit a capture to the active window. none: not at all. nvtx: mark ranges only in "
                 "the window, so that nsys -c nvtx -p step@strata records its steps. cuda_profiler_api: call "
                 "cudaProfilerStart and cudaProfilerStop, for nsys -c cudaProfilerApi."),
      option::flag("layers", "true", "Mark a range for each running layer, on its thread."),
      option::choice("memory", kBuiltWithCounters ? "counters|marks|none" : "marks|none",
                     kBuiltWithCounters ? "counters" : "marks",
                     kBuiltWithCounters
                         ? "Show allocated and reserved bytes: as NVTX counters at every change if the tool "
                           "supports counters, otherwise as marks at the ends of phases and steps."
                         : "Show allocated and reserved bytes as marks at the ends of phases and steps; the "
                           "NVTX headers of this build have no counters."),
#if STRATA_NVTX_HEAPS
      option::flag(
          "heaps", "false",
          "Register CUDA segments as NVTX heaps and blocks as regions in them, for Compute Sanitizer."),
#endif
};

// The values of the option `capture`.
enum class Capture { kNone, kNvtx, kCudaProfilerApi };

}  // namespace strata::nvtx_markers
