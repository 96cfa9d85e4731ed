// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/savings.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "host/analysis/layers/layer_paths.hpp"
#include "host/analysis/peak/block_roles.hpp"
#include "host/analysis/peak/narrowed_by_autocast.hpp"
#include "host/analysis/peak/residue.hpp"
#include "host/analysis/peak/still_to_come.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "host/analysis/timeline.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

std::unordered_set<std::string_view> trained_parameters(const Facts& facts) {
  std::unordered_set<std::string_view> names;
  for (const Block& block : facts.blocks) {
    const std::string_view name = facts.texts[block.name];
    if (block.category == Category::kGradient && !name.empty()) names.insert(trained_by(name));
  }
  return names;
}

bool is_moment(std::string_view name) {
  return name.ends_with(".exp_avg") || name.ends_with(".exp_avg_sq");
}

std::vector<std::uint32_t> by_death(const std::vector<Block>& blocks) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t index = 0; index < blocks.size(); ++index)
    if (blocks[index].death_sequence != UINT64_MAX) order.push_back(index);
  std::ranges::sort(order, {}, [&](std::uint32_t index) { return blocks[index].death_sequence; });
  return order;
}

}  // namespace

Savings::Savings(const Facts& facts)
    : facts_(facts),
      narrowed_of_block_(narrowed_by_autocast(facts)),
      trained_(trained_parameters(facts)),
      is_of_scores_(attention_scores(facts)),
      is_logits_(logits_and_alike(facts)) {}

void Savings::change(const Block& block, bool comes) {
  const auto index = static_cast<std::size_t>(&block - facts_.blocks.data());
  const auto put = [&](std::uint64_t& sum, std::uint64_t value) { comes ? sum += value : sum -= value; };
  if (block.kind == "optimizer_temp") put(temporaries_, block.bytes);
  if (block.kind == kForwardResidue) put(residue_, block.bytes);
  switch (block.category) {
    case Category::kParameter:
      put(parameters_, block.bytes);
      if (trained_.empty() || trained_.contains(facts_.texts[block.name]))
        put(trained_parameters_, block.bytes);
      if (facts_.texts[facts_.forms[block.form].dtype] == "float32") put(wide_parameters_, block.bytes);
      break;
    case Category::kGradient:
      put(gradients_, block.bytes);
      break;
    case Category::kOptimizerState:
      if (is_moment(facts_.texts[block.name])) put(moments_, block.bytes);
      if (facts_.texts[block.name].ends_with(".exp_avg_sq")) put(second_moments_, block.bytes);
      break;
    case Category::kAutogradDetail:
      // That of an embedding is as large as its weights, whatever the batch.
      if (block.kind == "flowing" && facts_.texts[block.op] != "aten::embedding_dense_backward")
        put(flowing_, block.bytes);
      break;
    case Category::kActivation:
      block.kind == "autocast_copy" ? put(autocast_copies_, 1) : put(activations_, block.bytes);
      narrowed_ += comes ? narrowed_of_block_[index] : -narrowed_of_block_[index];
      break;
    default:
      break;
  }
  if (is_logits_[index]) put(logits_, block.bytes);
  if (!is_for_backward(block)) return;
  if (facts_.texts[block.op] == "aten::_softmax") put(softmaxes_, 1);
  if (is_of_scores_[index]) put(softmax_bytes_, block.bytes);
  const std::string_view repeated =
      repeated_block(facts_.texts[block.saver != 0 ? block.saver : block.layer]);
  if (repeated.empty()) return;
  put(saved_by_repeated_[repeated], block.bytes);
  put(saved_, block.bytes);
}

// A checkpointed block's saved tensors are there while it goes backward: those of one at a time.
std::uint64_t Savings::checkpointed() const {
  std::uint64_t largest = 0;
  for (const auto& [unused, bytes] : saved_by_repeated_) largest = std::max(largest, bytes);
  return saved_ - largest;
}

std::uint64_t Savings::gradients_of_half() const {
  return trained_parameters_ - std::min(gradients_, trained_parameters_);
}

// While the second half goes forward and backward, the first one's gradients are there.
std::uint64_t Savings::half_batch() const {
  const std::uint64_t half = (activations_ + flowing_) / 2;
  return half - std::min(half, gradients_of_half());
}

// Of matrices in 32 bits autocast makes copies in 16, and keeps those of weights until backward has ended.
std::uint64_t Savings::half_precision() const {
  if (autocast_copies_ > 0 || wide_parameters_ < parameters_ / 2 || wide_parameters_ == 0) return 0;
  const auto narrowed = static_cast<std::uint64_t>(std::max<std::int64_t>(narrowed_, 0));
  return narrowed - std::min(narrowed, wide_parameters_ / 2);
}

std::uint64_t Savings::bytes(Saving saving, const PhaseFact* part) const {
  switch (saving) {
    case Saving::kCheckpoints:
      return checkpointed();
    case Saving::kAttentionInOneKernel:
      return softmaxes_ > 1 ? softmax_bytes_ : 0;
    case Saving::kLossInPieces:
      return logits_ - logits_ / kPiecesOfLoss;
    case Saving::kHalfBatch:
      return half_batch();
    case Saving::kHalfPrecision:
      return half_precision();
    case Saving::kFusedOptimizer:
      return temporaries_;
    case Saving::kEightBitMoments:
      return moments_bytes() / 4 * 3;
    case Saving::kGradientsCleared:
      return part != nullptr && part->kind == STRATA_PHASE_FORWARD && part->micro_batch == 0 ? gradients_ : 0;
    case Saving::kResidueLetGo:
      return part != nullptr && part->kind == STRATA_PHASE_OPTIMIZER ? residue_ : 0;
  }
  return 0;
}

std::array<Left, kSavings> highest_left(const Facts& facts) {
  std::array<Left, kSavings> highest{};
  Savings savings(facts);
  const OpenPhases phases(facts.phases);
  const std::vector<std::uint32_t> deaths = by_death(facts.blocks);
  auto born = facts.blocks.begin();
  auto dead = deaths.begin();
  for (const Point& point : facts.points) {
    for (; born != facts.blocks.end() && born->birth_sequence <= point.sequence; ++born) savings.add(*born);
    for (; dead != deaths.end() && facts.blocks[*dead].death_sequence <= point.sequence; ++dead)
      savings.remove(facts.blocks[*dead]);
    const std::uint64_t level = allocated_bytes(point);
    if (level <= std::ranges::min_element(highest, {}, &Left::bytes)->bytes) continue;
    const auto part = phases.part_of_step(point.sequence);
    for (std::size_t index = 0; index < kSavings; ++index) {
      if (level <= highest[index].bytes) continue;
      const std::uint64_t saved =
          savings.bytes(static_cast<Saving>(index), part ? &facts.phases[*part] : nullptr);
      const std::uint64_t left = level - std::min(saved, level);
      if (left > highest[index].bytes) highest[index] = {left, point.sequence};
    }
  }
  return highest;
}

}  // namespace strata::analysis
