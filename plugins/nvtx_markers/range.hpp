// SPDX-License-Identifier: Apache-2.0
// The content of a range or mark: a message that is the same in each step, so that tools can group by it, and
// a number.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <optional>

#include "strata/events.h"

namespace strata::nvtx_markers {

// NVTX categories, by which tools filter and colour. A tool's export contains these values.
enum class Category : std::uint32_t {
  kStep = 1,
  kMicroBatch = 2,
  kPhase = 3,
  kLayer = 4,
  kMemory = 5,
  kWindow = 6,
};

struct Range {
  nvtxStringHandle_t message = nullptr;  // registered, as required for a range that starts a capture
  Category category = Category::kStep;
  std::uint32_t colour = 0;              // 0xAARRGGBB
  std::optional<std::uint64_t> payload;  // empty: outside of what it counts
};

// The payload of a range that belongs to a step; empty outside of any step.
inline std::optional<std::uint64_t> step_payload(const strata_when& when) {
  return when.step == STRATA_NO_STEP ? std::nullopt : std::optional(when.step);
}

}  // namespace strata::nvtx_markers
