// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/facts/warning.hpp"
#include "host/report/words/remedy_words.hpp"
#include "host/report/words/sentences.hpp"
#include "host/report/words/warnings.hpp"

namespace strata::report {
namespace {

using analysis::BlockKind;
using analysis::CudaAllocator;
using analysis::CudaTracing;
using analysis::EventGap;
using analysis::EventGaps;
using analysis::Finding;
using analysis::FindingKind;
using analysis::Remedy;
using analysis::Shape;
using analysis::ShapeDetail;
using analysis::ThinnedWindow;

constexpr std::uint64_t kMebi = 1048576;

Shape shape_of(ShapeDetail detail, std::vector<Remedy> remedies = {}) {
  Shape shape;
  shape.bytes = 60 * kMebi;
  shape.step = 3;
  shape.remedies = std::move(remedies);
  shape.detail = std::move(detail);
  return shape;
}

std::string sentence_of(ShapeDetail detail) {
  return words_of(shape_of(std::move(detail)), Framework::kPyTorch).sentence;
}

template <std::size_t... Kind>
std::vector<ShapeDetail> all_details(std::index_sequence<Kind...> /*kinds*/) {
  return {ShapeDetail(std::in_place_index<Kind>)...};
}

TEST(ShapeWords, AreThereForEachDetail) {
  for (const ShapeDetail& detail :
       all_details(std::make_index_sequence<std::variant_size_v<ShapeDetail>>())) {
    const ShapeWords words = words_of(shape_of(detail, {Remedy::kHalfBatch, Remedy::kFewerLayers}), {});
    EXPECT_TRUE(words.sentence.ends_with('.')) << detail.index();
    EXPECT_FALSE(words.evidence.empty() || words.evidence.ends_with('.')) << detail.index();
    EXPECT_EQ(words.remedy,
              "half the batch with twice the accumulation (data.batch_size, accumulation) halves it; fewer "
              "or narrower layers");
  }
}

TEST(ShapeWords, SayWhatBackwardFrees) {
  using analysis::ForwardTriangleDetail;
  const auto sentence = [](ForwardTriangleDetail::Descent descent) {
    return sentence_of(ForwardTriangleDetail{3, "layers.0 to 2", descent, 20 * kMebi});
  };
  EXPECT_EQ(sentence(ForwardTriangleDetail::Descent::kWhole),
            "Forward allocates 60.0 MiB over 3 layers (layers.0 to 2): each layer keeps activations for "
            "backward. Backward frees them.");
  EXPECT_TRUE(
      sentence(ForwardTriangleDetail::Descent::kPart).ends_with(". Backward frees 20.0 MiB of them."));
  EXPECT_TRUE(sentence(ForwardTriangleDetail::Descent::kNoBackward).ends_with(". No backward frees them."));
}

TEST(ShapeWords, SayOfEachStepHowItEnds) {
  EXPECT_EQ(sentence_of(analysis::RepeatingStepDetail{1, 4, 12, 0, true}),
            "Steps 1 to 4 repeat one pattern: each step rises 60.0 MiB above its start and returns to it.");
  EXPECT_TRUE(sentence_of(analysis::RepeatingStepDetail{1, 4, 12, -20'480, false})
                  .ends_with(" and ends 0.020 MiB below it."));
}

TEST(ShapeWords, SayWhatAFirstStepLeaves) {
  analysis::FirstStepGrowthDetail growth;
  growth.left = {{BlockKind::kState, 40 * kMebi}, {BlockKind::kGradient, 23 * kMebi}};
  growth.gone_bytes = 3 * kMebi;
  growth.unused = {"", "teacher"};
  growth.held = {"aten::mm", "out"};
  const Shape shape = shape_of(growth, {Remedy::kNoGrad, Remedy::kReleaseOutputs});
  const ShapeWords words = words_of(shape, Framework::kPyTorch);
  EXPECT_EQ(words.sentence,
            "The first step ends 60.0 MiB above its start, and no later step does. It leaves 40.0 MiB state, "
            "23.0 MiB gradient. It frees 3.000 MiB of earlier memory.");
  EXPECT_EQ(words.remedy,
            "forwards that no backward follows and forwards of teacher under torch.no_grad() keep only their "
            "output; a variable holds what aten::mm in out made after backward: free it before "
            "optimizer.step() (del)");
  growth.later_bytes = 8 * kMebi;
  EXPECT_TRUE(sentence_of(growth).ends_with(" Later steps end up to 8.000 MiB above that."));
}

TEST(ShapeWords, SayOverWhatMemoryGrows) {
  analysis::GrowingMemoryDetail growth{.blocks = 9,
                                       .forwards = 6,
                                       .steps = 4,
                                       .first_step = 0,
                                       .last_step = 3,
                                       .is_by_step = true,
                                       .lasts_to_end = true,
                                       .mean_bytes = 15 * kMebi,
                                       .maker = {"aten::addmm", "head"}};
  EXPECT_EQ(sentence_of(growth),
            "Memory grows by 15.0 MiB per step over 4 steps (0 to 3). What aten::addmm in head made in step "
            "0 is still alive at the end; together with what each later step left, it takes 60.0 MiB.");
  growth.is_by_step = growth.lasts_to_end = false;
  growth.maker = {};
  EXPECT_TRUE(
      sentence_of(growth).starts_with("Memory grows by 15.0 MiB per forward over 6 forwards of steps 0 and "
                                      "3. What a forward made in step 0 is still alive in step 3;"));
  growth.first_step = 3;
  EXPECT_NE(sentence_of(growth).find(" over 6 forwards of step 3. "), std::string::npos);
}

TEST(ShapeWords, SayWhoseGraphNobodyUses) {
  analysis::UnusedGraphDetail unused{.graphs = 1, .largest_blocks = 5, .largest_bytes = 20 * kMebi};
  const ShapeWords words = words_of(shape_of(unused, {Remedy::kNoGrad}), Framework::kLibTorch);
  EXPECT_EQ(words.sentence, "No backward uses the graph. It keeps 20.0 MiB.");
  EXPECT_EQ(words.remedy,
            "forwards that no backward follows under a torch::NoGradGuard keep only their output");
  unused = {4, 5, 20 * kMebi, analysis::WhyUnused::kNoStep, "teacher"};
  EXPECT_EQ(sentence_of(unused),
            "No optimizer uses the gradients of 4 graphs of forwards of teacher. Each keeps up to 20.0 MiB; "
            "60.0 MiB are alive at once.");
}

TEST(RemedyWords, AreThereForEachRemedyAndFramework) {
  for (int remedy = 0; remedy <= static_cast<int>(Remedy::kExpandableSegments); ++remedy) {
    for (const Framework framework : {Framework::kStrata, Framework::kPyTorch, Framework::kTransformers,
                                      Framework::kLightning, Framework::kLibTorch}) {
      const std::string words = remedy_words(static_cast<Remedy>(remedy), framework, "forwards");
      EXPECT_GT(words.size(), 15U) << remedy;
      EXPECT_EQ(words.find(" ()"), std::string::npos) << words;
      EXPECT_FALSE(words.starts_with(' ') || words.find("  ") != std::string::npos) << words;
    }
  }
}

TEST(RemedyWords, AreThoseOfTheFramework) {
  const auto fused = [](Framework framework) { return remedy_words(Remedy::kFusedOptimizer, framework); };
  EXPECT_EQ(fused(Framework::kStrata), "optimizer.impl: fused allocates no such temporaries");
  EXPECT_EQ(fused(Framework::kPyTorch), "fused=True allocates no such temporaries");
  EXPECT_EQ(fused(Framework::kTransformers), "optim=\"adamw_torch_fused\" allocates no such temporaries");
  EXPECT_EQ(fused(Framework::kLightning), fused(Framework::kPyTorch)) << "it has no name of its own";
  EXPECT_NE(remedy_words(Remedy::kReleaseGrowth, Framework::kTransformers).find("strata exec --holders"),
            std::string::npos);
  EXPECT_EQ(fused(Framework::kLibTorch), "at::_fused_adamw_ allocates no such temporaries");
}

TEST(RemedyWords, AreInTheFrameworkOfTheRun) {
  analysis::Facts facts;
  facts.trainer = "lightning";
  EXPECT_EQ(framework_of(facts), Framework::kStrata) << "with a configuration of ours";
  facts.is_configured = false;
  EXPECT_EQ(framework_of(facts), Framework::kLightning);
  facts.trainer = "another";
  EXPECT_EQ(framework_of(facts), Framework::kPyTorch);
}

TEST(FindingWords, SayWhatAProgramHolds) {
  const analysis::Maker maker{"aten::mm", "head"};
  const auto text = [](FindingKind kind, auto detail, const std::string& module = {}) {
    return finding_text(Finding{.kind = kind, .bytes = 7, .module = module, .detail = detail});
  };
  EXPECT_EQ(text(FindingKind::kKeptFromEarlier, analysis::KeptFinding{3, true, maker}),
            "The program still holds results of 3 earlier forwards, with their autograd graphs; aten::mm in "
            "head made most of them.");
  EXPECT_EQ(text(FindingKind::kUnusedGraph, analysis::UnusedGraphFinding{}, "teacher"),
            "No backward uses autograd graphs of forwards of teacher.");
  EXPECT_EQ(text(FindingKind::kUnusedGraph, analysis::UnusedGraphFinding{true}),
            "No optimizer uses the gradients of these autograd graphs.");
  EXPECT_EQ(text(FindingKind::kUntakenGradients, analysis::UnusedGraphFinding{true}, "teacher"),
            "No optimizer uses these gradients of teacher.");
  EXPECT_EQ(
      text(FindingKind::kListedOutputs, analysis::OutputsFinding{1, maker}),
      "The program holds 1 output of forwards without a graph at once; aten::mm in head made most of them.");
  EXPECT_EQ(
      text(FindingKind::kHeldByProgram, analysis::HeldFinding{analysis::MayGo::kBeforeOptimizer, maker}),
      "The program holds what aten::mm in head made, but its backward has ended.");
  EXPECT_EQ(text(FindingKind::kNextPeak, analysis::BoundFinding{60 * kMebi, "AdamW.step", ""}),
            "Lowering only this peak saves at most this much: the next-highest is 60.0 MiB, in AdamW.step.");
  EXPECT_EQ(text(FindingKind::kOutsidePhase, analysis::BoundFinding{60 * kMebi, "", "backward"}),
            "Changing only backward saves at most this much: the highest moment outside it is 60.0 MiB, "
            "between phases.");
  EXPECT_FALSE(finding_text({.kind = FindingKind::kDeferredFrees}).empty());
}

TEST(WarningWords, SayWhatIsThinned) {
  EXPECT_EQ(warning_text(ThinnedWindow{{{0, 2, 3, 0, 30}, {4, 5, 2, 40, 60}}, 6, 6}),
            "steps 0-2, 4-5 are thinned (store.max_mb): their peaks are kept, their allocations are not; "
            "what is said of the window is of the steps 6-6 alone, but for its peak");
  EXPECT_TRUE(
      warning_text(ThinnedWindow{{{3, 3, 1, 0, 30}}, 4, 9})
          .starts_with("step 3 is thinned (store.max_mb): its peak is kept, its allocations are not"));
}

TEST(WarningWords, NameTheAllocatorThatToldLess) {
  for (const CudaTracing tracing : {CudaTracing::kCounted, CudaTracing::kUncounted, CudaTracing::kRefused})
    EXPECT_NE(warning_text(CudaAllocator{"odd", tracing}).find("was 'odd'"), std::string::npos);
}

TEST(WarningWords, CountWhatIsMissing) {
  EXPECT_TRUE(warning_text(EventGaps{EventGap::kUnknownFree, 3}).starts_with("3 frees of blocks"));
  EXPECT_TRUE(warning_text(EventGaps{EventGap::kDoubleAllocation, 1}).starts_with("1 allocations at an"));
  EXPECT_TRUE(warning_text(EventGaps{EventGap::kHomelessTensor, 2}).starts_with("2 registered tensors"));
}

TEST(WarningWords, LeaveAReadersTextAsItIs) {
  EXPECT_EQ(warning_texts({"a.sqlite: odd", analysis::UnreachedWindow()}).front(), "a.sqlite: odd");
}

TEST(DiffWords, SayWhyRunsMayNotBeComparable) {
  analysis::RunDiff diff;
  EXPECT_TRUE(warnings_of(diff).empty());
  diff.base.has_layers = true;
  diff.now.device = "cuda:0";
  diff.now.end = analysis::RunEnd::kKilled;
  diff.now.is_dry = true;
  diff.now.outside_window = {.allocated_bytes = 60 * kMebi, .step = 2, .phase = "backward"};
  diff.now.warnings = {"no modules"};
  EXPECT_EQ(warnings_of(diff),
            (std::vector<std::string>{
                "one of the runs used a dry device, which computes nothing: their times cannot be compared",
                "the devices differ:  and cuda:0",
                "only the base run recorded layers, so their memory differs; record the other run with "
                "--layers too",
                "the new run allocates more outside its window: 60.0 MiB, step 2, backward; "
                "run_peak_allocated covers the whole run",
                "the new run did not finish: killed", "new run: no modules"}));
}

}  // namespace
}  // namespace strata::report
