// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/sentences.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <variant>

#include "host/report/peak_context.hpp"
#include "host/report/quantity.hpp"
#include "host/report/words/warnings.hpp"

namespace strata::report {

using analysis::RunDiff;

std::string time_warning(const RunDiff& diff) {
  if (diff.base.is_dry != diff.now.is_dry)
    return "one of the runs used a dry device, which computes nothing: their times cannot be compared";
  if (diff.base.is_dry)
    return "a dry device computes nothing: their times are only the host's part of a step";
  return "";
}

std::string step_detail_text(const analysis::StepDetail& detail) {
  const std::uint64_t others = detail.named + detail.without;
  if (detail.recorded == 0 || others == 0) return "";
  std::string text = fmt::format("operators of {} of {} steps", thousands(detail.recorded),
                                 thousands(detail.recorded + others));
  if (detail.named != 0)
    text += fmt::format("; {} with the same allocations take their names from them", thousands(detail.named));
  if (detail.without != 0)
    text += fmt::format("; {} have none (--set trace.detail=all records all)", thousands(detail.without));
  return text;
}

std::vector<std::string> run_warnings(const RunDiff& diff) {
  std::vector<std::string> warnings;
  if (diff.base.device != diff.now.device)
    warnings.push_back(fmt::format("the devices differ: {} and {}", diff.base.device, diff.now.device));
  if (diff.base.has_layers != diff.now.has_layers)
    warnings.push_back(fmt::format(
        "only the {} run recorded layers, so their memory differs; record the other run with --layers too",
        diff.base.has_layers ? "base" : "new"));
  for (const auto& [which, run] : {std::pair("base", &diff.base), std::pair("new", &diff.now)}) {
    if (run->outside_window)
      warnings.push_back(fmt::format(
          "the {} run allocates more outside its window: {}, {}; run_peak_allocated covers the whole run",
          which, in_mib(run->outside_window->allocated_bytes), moment_of(*run->outside_window)));
    if (run->end != analysis::RunEnd::kDone)
      warnings.push_back(fmt::format("the {} run did not finish: {}", which, to_string(run->end)));
    for (const analysis::Warning& warning : run->warnings)
      warnings.push_back(fmt::format("{} run: {}", which, warning_text(warning)));
  }
  return warnings;
}

std::vector<std::string> warnings_of(const RunDiff& diff) {
  std::vector<std::string> warnings = run_warnings(diff);
  if (std::string time = time_warning(diff); !time.empty())
    warnings.insert(warnings.begin(), std::move(time));
  return warnings;
}

namespace {

using analysis::Finding;
using analysis::FindingKind;

// The sentences of a finding, by its detail.
struct FindingSentence {
  const Finding& finding;

  std::string operator()(const std::monostate&) const {
    switch (finding.kind) {
      case FindingKind::kDeferredFrees:
        return "The program freed this memory, but a stream still uses it (record_stream).";
      case FindingKind::kUsedGradients:
        return "The optimizer has used these gradients, and backward has not written them again: "
               "zero_grad(set_to_none=True) before forward frees them until then.";
      case FindingKind::kBucketCopies:
        return "These gradients are also in the buckets of DistributedDataParallel: "
               "gradient_as_bucket_view=True "
               "needs them once.";
      case FindingKind::kUnshardedGradients:
        return "Each rank keeps these whole gradients between micro-batches, for the ranks add theirs up "
               "only in "
               "a later one. Without set_requires_gradient_sync(False) or no_sync(), each rank keeps only "
               "its "
               "part.";
      case FindingKind::kGatheredParameters:
        return "Each rank keeps these whole parameters after backward. With "
               "set_reshard_after_backward(True), the "
               "default, it keeps only its part between micro-batches.";
      case FindingKind::kWeightCopies:
        return "Copies of weights, such as those of a checkpoint, and no operator computes with them: delete "
               "them, or keep them in host memory (torch.load(map_location=\"cpu\"), tensor.cpu()).";
      default:
        return "";
    }
  }

  std::string operator()(const analysis::FailedFinding& failed) const {
    return fmt::format(
        "{} that ran out of memory made this. The exception holds its activations while the program handles "
        "it "
        "or keeps it: leave the except block before the next try.",
        failed.forwards == 1 ? "A forward" : fmt::format("{} forwards", failed.forwards));
  }

  std::string operator()(const analysis::KeptFinding& kept) const {
    return fmt::format("The program still holds results of {}{}; {} made most of them.",
                       counted(kept.forwards, "earlier forward", "earlier forwards"),
                       kept.are_graphs ? ", with their autograd graphs" : "", maker_words(kept.maker));
  }

  std::string operator()(const analysis::StepGrowthFinding& growth) const {
    return fmt::format("Each of {} left a part of this, and no forward made it: {}, {}, made most of it.",
                       counted(growth.steps, "step", "steps"), maker_words(growth.maker),
                       growth.phase.empty() ? "between phases" : "in " + growth.phase);
  }

  std::string operator()(const analysis::SummedFinding& sum) const {
    return fmt::format(
        "One backward uses the summed losses of {}, so the activations of all of them are there at once. "
        "Call "
        "backward after each forward: gradients add up, so divide each loss by {} if the program takes their "
        "mean.",
        counted(sum.forwards, "forward", "forwards"), sum.forwards);
  }

  std::string operator()(const analysis::UnusedGraphFinding& graph) const {
    const std::string of_module = finding.module.empty() ? "" : " of " + finding.module;
    if (finding.kind == FindingKind::kUntakenGradients)
      return fmt::format("No optimizer uses these gradients{}.", of_module);
    const std::string graphs = finding.module.empty()
                                   ? "these autograd graphs"
                                   : "autograd graphs of " + forwards_words(finding.module);
    return graph.has_no_step ? fmt::format("No optimizer uses the gradients of {}.", graphs)
                             : fmt::format("No backward uses {}.", graphs);
  }

  std::string operator()(const analysis::OutputsFinding& outputs) const {
    const std::string maker = maker_words(outputs.maker);
    if (finding.kind == FindingKind::kEvaluation)
      return fmt::format("Forwards without a graph made this, as in an evaluation; {} made most of it.",
                         maker);
    return fmt::format("The program holds {} of forwards without a graph at once; {} made most of them.",
                       counted(outputs.blocks, "output", "outputs"), maker);
  }

  std::string operator()(const analysis::HeldFinding& held) const {
    const std::string maker = maker_words(held.maker);
    switch (held.may_go) {
      case analysis::MayGo::kBeforeNextStep:
        return fmt::format("The program still holds what {} made in an earlier step.", maker);
      case analysis::MayGo::kBeforeBackward:
        return fmt::format("The program holds what {} made, but backward reads only its softmax.", maker);
      default:
        return fmt::format("The program holds what {} made, but its backward has ended.", maker);
    }
  }

  std::string operator()(const analysis::PiecesFinding& pieces) const {
    return fmt::format(
        "The allocator has free memory, but in pieces of at most {}; the program requested {}.",
        in_mib(pieces.largest_bytes), in_mib(pieces.requested_bytes));
  }

  std::string operator()(const analysis::BoundFinding& bound) const {
    const std::string next = fmt::format("{}, {}", in_mib(bound.allocated_bytes),
                                         bound.phase.empty() ? "between phases" : "in " + bound.phase);
    if (finding.kind == FindingKind::kNextPeak)
      return fmt::format("Lowering only this peak saves at most this much: the next-highest is {}.", next);
    return fmt::format("Changing only {} saves at most this much: the highest moment outside it is {}.",
                       bound.part_of_step, next);
  }
};

}  // namespace

std::string finding_text(const Finding& finding) {
  return std::visit(FindingSentence{finding}, finding.detail);
}

std::string maker_words(const analysis::Maker& maker) {
  const std::string op = maker.op.empty() ? "a forward" : maker.op;
  return maker.layer.empty() ? op : fmt::format("{} in {}", op, maker.layer);
}

std::string forwards_words(std::string_view module) {
  return module.empty() ? "forwards that no backward follows" : fmt::format("forwards of {}", module);
}

}  // namespace strata::report
