// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/held_by_program.hpp"

#include <fmt/format.h>

namespace strata::analysis {
namespace {

class HeldFinder {
 public:
  HeldFinder(const Facts& facts, const Savings& savings, std::uint64_t sequence, const PhaseFact* part,
             bool went_on)
      : facts_(facts), savings_(savings), sequence_(sequence), part_(part), went_on_(went_on) {}

  std::vector<HeldByProgram> find() {
    residue();
    kept_from_earlier();
    unused_graphs();
    held_.push_back(
        {Saving::kListedLetGo, kOutputsToHost,
         fmt::format("{} outputs of forwards without a graph that are all held", savings_.listed_outputs())});
    return std::move(held_);
  }

 private:
  // In a variable, as the logits are.
  void residue() {
    const Residue& residue = savings_.held();
    const Block* const largest = residue.largest(sequence_, part_, savings_.unused());
    if (largest == nullptr) return;
    MayGo when = residue.may_go(*largest, sequence_, part_);
    if (went_on_ && residue.is_softened(*largest)) when = MayGo::kBeforeBackward;
    held_.push_back({Saving::kResidueLetGo, let_go_of(facts_, *largest, when),
                     when == MayGo::kBeforeNextStep ? "held by the program from an earlier step"
                     : when == MayGo::kBeforeBackward
                         ? "held by the program, where backward needs its softmax alone"
                         : "held by the program beyond backward"});
  }

  // In a list of losses or outputs.
  void kept_from_earlier() {
    const KeptFromEarlier& kept = savings_.kept();
    held_.push_back(
        {Saving::kKeptLetGo,
         are_of_graphs(facts_, kept.may_go_at(sequence_))
             ? "outputs of earlier forwards without their graph (.detach(), .item(), torch.no_grad() in "
               "evaluation)"
             : "outputs of earlier forwards let go of (.item(), .cpu())",
         kept.said_at(sequence_)});
  }

  void unused_graphs() {
    const UnusedGraph* const largest = savings_.unused().largest_at(sequence_);
    if (largest == nullptr) return;
    held_.push_back({Saving::kNoGraph, savings_.unused().without_graphs_at(sequence_),
                     largest->why == WhyUnused::kNoStep
                         ? "what their graph keeps for gradients that no optimizer takes, and these"
                         : "what their graph keeps for a backward that never goes through it"});
  }

  const Facts& facts_;
  const Savings& savings_;
  const std::uint64_t sequence_;
  const PhaseFact* const part_;
  const bool went_on_;
  std::vector<HeldByProgram> held_;
};

}  // namespace

std::vector<HeldByProgram> held_by_program(const Facts& facts, const Savings& savings, std::uint64_t sequence,
                                           const PhaseFact* part, bool went_on) {
  if (facts.is_configured) return {};
  return HeldFinder(facts, savings, sequence, part, went_on).find();
}

}  // namespace strata::analysis
