// SPDX-License-Identifier: Apache-2.0
// What one range or mark says: a message that stays the same from step to step, so that tools can group by
// it, and the number beside it.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <optional>

#include "strata/events.h"

namespace strata::nvtx_markers {

// NVTX categories, which tools filter and colour by. Values are what a tool's export shows.
enum class Category : std::uint32_t {
  kStep = 1,
  kMicroBatch = 2,
  kPhase = 3,
  kLayer = 4,
  kMemory = 5,
  kWindow = 6,
};

struct Range {
  nvtxStringHandle_t message = nullptr;  // registered: a range that starts a capture has to be
  Category category = Category::kStep;
  std::uint32_t colour = 0;              // 0xAARRGGBB
  std::optional<std::uint64_t> payload;  // nothing: outside of what it counts
};

// The payload of what belongs to a step; nothing: it is outside of any.
inline std::optional<std::uint64_t> step_payload(const strata_when& when) {
  return when.step == STRATA_NO_STEP ? std::nullopt : std::optional(when.step);
}

}  // namespace strata::nvtx_markers
