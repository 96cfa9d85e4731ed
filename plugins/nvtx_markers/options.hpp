// SPDX-License-Identifier: Apache-2.0
// The options of nvtx_markers. What the headers that it was built with do not know is not offered.
#pragma once

#include <array>

#include "plugins/nvtx_markers/counters.hpp"
#include "plugins/nvtx_markers/heaps.hpp"
#include "strata/option.hpp"

namespace strata::nvtx_markers {

inline constexpr std::array kOptions {
  option::choice("capture", "none|nvtx|cuda_profiler_api", "none",
                 "What begins and ends with the active window: nothing; the ranges themselves, so that nsys "
                 "-c nvtx -p step@strata records its steps; or cudaProfilerStart and -Stop, for nsys -c "
                 "cudaProfilerApi."),
      option::flag("layers", "true", "A range for each layer at work, on the thread that does it."),
      option::choice(
          "memory", kBuiltWithCounters ? "counters|marks|none" : "marks|none",
          kBuiltWithCounters ? "counters" : "marks",
          kBuiltWithCounters
              ? "Allocated and reserved bytes: as NVTX counters at every change, where the tool knows "
                "them, else as marks at the ends of phases and steps."
              : "Allocated and reserved bytes, as marks at the ends of phases and steps; the NVTX "
                "headers of this build have no counters."),
#if STRATA_NVTX_HEAPS
      option::flag("heaps", "false",
                   "CUDA segments as NVTX heaps and blocks as regions in them, for Compute Sanitizer."),
#endif
};

// As the option `capture` says it.
enum class Capture { kNone, kNvtx, kCudaProfilerApi };

}  // namespace strata::nvtx_markers
