// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/checks/layer_estimate.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/recording/recording.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// Operators of layers without sublayers: torch.nn's, and transformers' Conv1D, which is an addmm.
constexpr std::array<std::string_view, 30> kLayerOperators{"aten::linear",
                                                           "aten::addmm",
                                                           "aten::bilinear",
                                                           "aten::embedding",
                                                           "aten::embedding_bag",
                                                           "aten::conv1d",
                                                           "aten::conv2d",
                                                           "aten::conv3d",
                                                           "aten::conv_transpose1d",
                                                           "aten::conv_transpose2d",
                                                           "aten::layer_norm",
                                                           "aten::group_norm",
                                                           "aten::batch_norm",
                                                           "aten::instance_norm",
                                                           "aten::rms_norm",
                                                           "aten::dropout",
                                                           "aten::dropout_",
                                                           "aten::gelu",
                                                           "aten::relu",
                                                           "aten::relu_",
                                                           "aten::silu",
                                                           "aten::silu_",
                                                           "aten::sigmoid",
                                                           "aten::tanh",
                                                           "aten::leaky_relu",
                                                           "aten::elu",
                                                           "aten::softplus",
                                                           "aten::max_pool2d",
                                                           "aten::avg_pool2d",
                                                           "aten::adaptive_avg_pool2d"};

bool is_layer(std::string_view name) {
  return std::ranges::find(kLayerOperators, name) != kLayerOperators.end();
}

const PhaseFact* first_forward_with_rows(const MemoryFacts& facts, const std::vector<LayerOutputRow>& rows) {
  const auto has_rows = [&](const PhaseFact& phase) {
    return phase.kind == STRATA_PHASE_FORWARD && std::ranges::any_of(rows, [&](const LayerOutputRow& row) {
             return phase.begin_ns <= row.ns && row.ns <= phase.end_ns;
           });
  };
  const auto found = std::ranges::find_if(facts.phases, has_rows);
  return found == facts.phases.end() ? nullptr : &*found;
}

void count_kept(const MemoryFacts& facts, std::uint64_t sequence, LayerEstimate& estimate) {
  for (const Block& block : facts.blocks) {
    if (block.birth_sequence > sequence) break;
    if (block.category != Category::kActivation || block.death_sequence <= sequence) continue;
    const std::uint64_t bytes = block.bytes - block.rounding_bytes;
    estimate.activation_bytes += bytes;
    if (block.kind == BlockKind::kSaved) estimate.saved_bytes += bytes;
  }
}

}  // namespace

std::optional<LayerEstimate> estimate_from_layers(const MemoryFacts& facts, const Recording& run) {
  const PhaseFact* const forward = first_forward_with_rows(facts, run.layer_outputs);
  if (forward == nullptr || facts.thinned.contains(forward->begin_sequence)) return std::nullopt;
  LayerEstimate estimate;
  estimate.step = forward->step;
  std::map<std::uint32_t, PeakShare> by_op;
  for (const LayerOutputRow& row : run.layer_outputs) {
    const std::string& name = run.texts[row.name];
    if (row.ns < forward->begin_ns || row.ns > forward->end_ns || !is_layer(name)) continue;
    estimate.bytes += row.bytes;
    PeakShare& share = by_op[row.name];
    share.label = name;
    share.bytes += row.bytes;
    ++share.blocks;
  }
  for (auto& [name, share] : by_op) estimate.by_op.push_back(std::move(share));
  std::ranges::stable_sort(estimate.by_op, std::ranges::greater{}, &PeakShare::bytes);
  count_kept(facts, forward->end_sequence, estimate);
  return estimate;
}

}  // namespace strata::analysis
