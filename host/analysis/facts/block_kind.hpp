// SPDX-License-Identifier: Apache-2.0
// What a byte of memory is, at the second level. The rules give each block one (docs/categories.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace strata::analysis {

// In the order of their names.
enum class BlockKind : std::uint8_t {
  kAccumulateTemp,
  kAutocastCopy,
  kBucket,
  kBuffer,
  kCheckpointInput,
  kComm,
  kEma,
  kFlowing,
  kForwardResidue,
  kGathered,
  kGradient,
  kGraphPool,
  kInput,
  kLogits,
  kLoss,
  kOffloaded,
  kOpTemp,
  kOptimizerTemp,
  kParameter,
  kPrefetch,
  kProjector,
  kRecompute,
  kRetained,
  kSaved,
  kScaler,
  kState,
  kTarget,
  kUnattributed,
  kWeightCopy,
  kWorkspace
};

// In the order of BlockKind, as JSON, tables and exports show them.
inline constexpr std::array<std::string_view, 30> kBlockKinds{"accumulate_temp",
                                                              "autocast_copy",
                                                              "bucket",
                                                              "buffer",
                                                              "checkpoint_input",
                                                              "comm",
                                                              "ema",
                                                              "flowing",
                                                              "forward_residue",
                                                              "gathered",
                                                              "gradient",
                                                              "graph_pool",
                                                              "input",
                                                              "logits",
                                                              "loss",
                                                              "offloaded",
                                                              "op_temp",
                                                              "optimizer_temp",
                                                              "parameter",
                                                              "prefetch",
                                                              "projector",
                                                              "recompute",
                                                              "retained",
                                                              "saved",
                                                              "scaler",
                                                              "state",
                                                              "target",
                                                              "unattributed",
                                                              "weight_copy",
                                                              "workspace"};

constexpr std::string_view to_string(BlockKind kind) {
  return kBlockKinds.at(static_cast<std::size_t>(kind));
}

}  // namespace strata::analysis
