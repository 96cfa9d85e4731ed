// SPDX-License-Identifier: Apache-2.0
// What each remedy would do without, of what is alive at one moment: sums over blocks, kept up as they come
// and go.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "host/analysis/facts.hpp"
#include "host/analysis/peak/block_roles.hpp"
#include "host/analysis/peak/concatenated.hpp"
#include "host/analysis/peak/evaluations.hpp"
#include "host/analysis/peak/kept_from_earlier.hpp"
#include "host/analysis/peak/listed_outputs.hpp"
#include "host/analysis/peak/residue.hpp"
#include "host/analysis/peak/unused_graphs.hpp"
#include "host/analysis/steps/open_phases.hpp"

namespace strata::analysis {

enum class Saving : std::uint8_t {
  kCheckpoints,
  kAttentionInOneKernel,
  kLossInPieces,
  kHalfBatch,
  kHalfEvaluation,
  kHalfPrecision,
  kFusedOptimizer,
  kLoopOptimizer,
  kEightBitMoments,
  kGradientsCleared,
  kResidueLetGo,
  kKeptLetGo,
  kConcatenatedLetGo,
  kListedLetGo,
  kFrozenIn16Bits,
  kNoGraph,
};
inline constexpr std::size_t kSavings = 16;
inline constexpr std::uint64_t kPiecesOfLoss = 8;

// Of an optimizer's step, by its name: PyTorch's has its class; of others nobody knows.
bool may_be_fused(std::string_view step);

class Savings {
 public:
  // Looks at the texts and forms of `facts`, which must outlive this.
  explicit Savings(const Facts& facts);

  // Blocks of `facts`.
  void add(const Block& block) { change(block, true); }
  void remove(const Block& block) { change(block, false); }  // one that was added
  // The moment at which these are alive: from it follows which forwards are earlier ones.
  void look_at(std::uint64_t sequence) { sequence_ = sequence; }

  // `part`: the part of the step that the moment is in; null outside of any.
  std::uint64_t bytes(Saving saving, const PhaseFact* part) const;

  // Of a run that was cut short: whichever block goes backward next, its saved tensors will be there.
  std::uint64_t checkpointed_but_the_largest() const { return checkpointed_but(largest_block()); }
  // Of what repeated blocks have saved, the most that one has.
  std::uint64_t largest_block() const;

  // Of temporaries of all parameters at once, without those that a loop over the parameters has at its most.
  std::uint64_t but_the_largest_parameters(std::uint64_t temporary_bytes) const {
    return static_cast<std::uint64_t>(static_cast<double>(temporary_bytes) * (1.0 - largest_share_));
  }
  // Half of what forward makes and of gradients on their way to it, of which others spare so many already.
  std::uint64_t half_batch(std::uint64_t spared_bytes) const;
  const KeptFromEarlier& kept() const { return kept_; }
  const UnusedGraphs& unused() const { return unused_; }
  const Residue& held() const { return held_; }
  const Evaluations& evaluations() const { return evaluations_; }
  // Of those that are there the largest number that one holds.
  std::uint32_t concatenated_outputs() const { return outputs_.empty() ? 0 : *outputs_.rbegin(); }
  // About: of the old ones put together, and the new.
  std::uint64_t one_concatenated_output() const {
    const std::uint64_t outputs = concatenated_outputs();
    return outputs == 0 ? 0 : concatenated_bytes_ / (2 * outputs - 1);
  }
  std::uint64_t listed_outputs() const { return listed_count_; }
  // Without those of embeddings, where the trainer keeps them in 32 bits. A program's 8-bit optimizer
  // computes in its kernels, and has none of the temporaries of an Adam of PyTorch's; ours has its own.
  // With those that are still to come.
  std::uint64_t spared_of_moments(std::uint64_t to_come_bytes) const {
    if (second_moments_ == 0) return 0;
    return (moments_ - narrow_moments_) / 4 * 3 + narrow_moments_ / 2 + temporaries_by_adam() +
           to_come_bytes / 4 * (has_narrow_moments() ? 2 : 3);
  }
  std::uint64_t temporaries_by_adam() const { return facts_.is_configured ? 0 : temporaries_; }
  bool has_narrow_moments() const { return narrow_moments_ > moments_ / 2; }  // in 16 bits
  // Of what blocks to come would keep: as large a part as `bytes` are of the activations that are there.
  std::uint64_t spared_to_come(std::uint64_t bytes, std::uint64_t to_come_bytes) const;
  // Of what is in 32 bits, parameters and their gradients.
  std::uint64_t half_of_parameters() const {
    return wide_parameters_ == 0 ? 0 : (wide_parameters_ + std::min(gradients_, wide_parameters_)) / 2;
  }
  // What the other half's gradients are more than those that are there: of parameters that are trained.
  std::uint64_t gradients_of_half() const;
  // Of a run in which nothing had a gradient yet: those of half the batch, if all parameters are trained.
  std::uint64_t untold_gradients() const { return is_untrained_ ? trained_parameters_ : 0; }
  std::uint64_t scores_bytes() const { return softmax_bytes_; }
  bool has_fallen_back() const { return has_fallen_back_; }

 private:
  void change(const Block& block, bool comes);
  std::uint64_t checkpointed(const PhaseFact* part) const;
  std::uint64_t checkpointed_but(std::uint64_t bytes) const;
  std::uint64_t copies_of_all_but(std::uint64_t saved_bytes) const;
  bool is_copy_for_backward(const Block& block) const;
  std::uint64_t loss_in_pieces() const;
  std::uint64_t half_precision() const;
  std::uint64_t residue_let_go(const PhaseFact* part) const;

  const Facts& facts_;
  OpenPhases phases_;
  KeptFromEarlier kept_;
  UnusedGraphs unused_;
  Residue held_;
  Evaluations evaluations_;
  Concatenated concatenated_;
  ListedOutputs listed_;
  std::uint64_t sequence_ = 0;
  std::vector<std::int64_t> narrowed_of_block_;
  std::unordered_set<std::string_view> trained_;  // as trained_parameters() says; empty: unknown
  bool is_untrained_;                             // by what was recorded: nothing has a gradient
  bool accumulates_;
  std::unordered_set<std::string> kept_wide_;  // parameters whose moments stay in 32 bits
  bool has_fallen_back_;                       // an attention, to torch's own mathematics
  std::vector<bool> is_of_scores_;             // by block: an attention's softmax, or what is made of it
  std::uint64_t head_bytes_ = 0;               // of the trained weights that make the logits
  RepeatedRuns repeated_;
  std::map<std::uint32_t, std::uint64_t> saved_by_run_;  // of what is there, but for what it hands on
  std::uint64_t handed_ = 0;                             // by those, beside it
  std::uint64_t saved_ = 0, softmaxes_ = 0, softmax_bytes_ = 0;
  std::uint64_t activations_ = 0;  // without autocast's copies of the weights
  std::uint64_t autocast_copies_ = 0;
  std::uint64_t copies_of_blocks_ = 0;  // of their weights, where backward alone holds them
  std::uint64_t forward_temporaries_ = 0;
  std::uint64_t evaluated_ = 0;           // made by evaluations
  std::uint64_t concatenated_bytes_ = 0;  // of their outputs, put together
  std::uint64_t listed_bytes_ = 0, listed_count_ = 0;
  std::multiset<std::uint32_t> outputs_;  // that each of those holds
  std::uint64_t flowing_ = 0;             // gradients of activations, on their way through backward
  std::int64_t narrowed_ = 0;             // what would be less under autocast
  std::uint64_t frozen_ = 0;              // parameters in 32 bits that are not trained
  std::uint64_t parameters_ = 0, wide_parameters_ = 0, gradients_ = 0, moments_ = 0, narrow_moments_ = 0;
  std::uint64_t second_moments_ = 0, trained_parameters_ = 0;
  struct HeldResidue {
    std::uint64_t bytes = 0, softened_bytes = 0;
  };
  // By LaterSteps::begin_for and LaterSteps::optimizer_behind.
  std::map<std::pair<std::uint64_t, std::uint64_t>, HeldResidue> residue_;
  std::uint64_t temporaries_ = 0, logits_ = 0, gradients_of_logits_ = 0;
  std::uint64_t list_temporaries_ = 0;  // of an optimizer over lists that torch has not fused
  double largest_share_ = 0.0;          // of all parameters what the largest one is
};

}  // namespace strata::analysis
