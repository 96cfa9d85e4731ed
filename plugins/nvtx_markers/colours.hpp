// SPDX-License-Identifier: Apache-2.0
// Colours of ranges, 0xAARRGGBB: those of Okabe and Ito, which colour-blind people can distinguish.
#pragma once

#include <cstdint>

#include "strata/ext/module.h"
#include "strata/ext/phase.h"

namespace strata::nvtx_markers {

inline constexpr std::uint32_t kGrey = 0xFF999999;
inline constexpr std::uint32_t kOrange = 0xFFE69F00;
inline constexpr std::uint32_t kSkyBlue = 0xFF56B4E9;
inline constexpr std::uint32_t kGreen = 0xFF009E73;
inline constexpr std::uint32_t kYellow = 0xFFF0E442;
inline constexpr std::uint32_t kBlue = 0xFF0072B2;
inline constexpr std::uint32_t kVermilion = 0xFFD55E00;
inline constexpr std::uint32_t kPurple = 0xFFCC79A7;

inline constexpr std::uint32_t kWindowColour = kGrey;
inline constexpr std::uint32_t kStepColour = kBlue;
inline constexpr std::uint32_t kMicroBatchColour = kPurple;
inline constexpr std::uint32_t kMemoryColour = kYellow;

constexpr std::uint32_t phase_colour(std::uint32_t kind) {
  switch (kind) {
    case STRATA_PHASE_FORWARD:
    case STRATA_PHASE_LOSS:
    case STRATA_PHASE_EVALUATION:
      return kGreen;
    case STRATA_PHASE_BACKWARD:
      return kVermilion;
    case STRATA_PHASE_OPTIMIZER:
    case STRATA_PHASE_CLIP:
    case STRATA_PHASE_ZERO_GRAD:
      return kOrange;
    case STRATA_PHASE_DATA:
    case STRATA_PHASE_HOST_TO_DEVICE:
    case STRATA_PHASE_GRADIENT_SYNC:
      return kYellow;
    default:
      return kGrey;
  }
}

constexpr std::uint32_t layer_colour(std::uint32_t direction) {
  switch (direction) {
    case STRATA_MODULE_BACKWARD:
      return kVermilion;
    case STRATA_MODULE_RECOMPUTE:
      return kPurple;
    default:
      return kSkyBlue;
  }
}

}  // namespace strata::nvtx_markers
