// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "host/analysis/shapes/families.hpp"
#include "strata/ext/tensor.h"
#include "tests/analysis/random_run.hpp"
#include "tests/analysis/shapes/shape_run.hpp"
#include "tests/analysis/training_run.hpp"

namespace strata::analysis {
namespace {

using testing::has;
using testing::kParameterAddress;
using testing::only;
using testing::run_of;
using testing::RunBuilder;

TEST(Shapes, HaveARowInTheDocument) {
  std::ifstream file(STRATA_SHAPES_DOCUMENT);
  ASSERT_TRUE(file.is_open());
  std::set<std::string> rows, kinds;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    const std::size_t end = line.find('`', 3);
    // The table of rules has four columns; the table of JSON keys has two.
    if (std::ranges::count(line, '|') == 5) rows.insert(line.substr(3, end - 3));
  }
  for (const ShapeName& name : kShapeNames) kinds.emplace(name.id);
  EXPECT_EQ(rows, kinds);
}

TEST(Shapes, HaveTheirNamesInOrder) {
  for (std::size_t kind = 0; kind < kShapeNames.size(); ++kind)
    EXPECT_EQ(static_cast<std::size_t>(kShapeNames.at(kind).kind), kind);
}

TEST(Shapes, OfNothingAreNone) {
  EXPECT_TRUE(find_shapes(Facts()).empty());
  EXPECT_TRUE(find_shapes(analyse(RunBuilder().finish())).empty());
}

// Properties that every shape of any run has.
void expect_within(const Facts& facts) {
  for (const Shape& shape : find_shapes(facts)) {
    const std::string_view kind = name_of(shape.kind).id;
    EXPECT_GE(shape.at_ns, facts.begin_ns) << kind;
    EXPECT_LE(shape.at_ns, facts.end_ns) << kind;
    EXPECT_LE(shape.begin_ns, shape.end_ns) << kind;
    EXPECT_GT(shape.bytes, 0U) << kind;
    EXPECT_LE(shape.level_bytes, std::max(facts.peak.allocated_bytes, facts.peak.reserved_bytes)) << kind;
    EXPECT_FALSE(shape.remedies.empty()) << kind;
  }
}

TEST(Shapes, OfAnyRunLieWithinIt) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    expect_within(analyse(testing::random_run(seed)));
  }
}

TEST(Shapes, OfARunThatDiesAtAnyMomentLieWithinIt) {
  const Recording whole = testing::make_training_run({.checkpointing = true}).recording;
  for (std::uint64_t sequence = 1; sequence < 1500; sequence += 37) {
    SCOPED_TRACE(sequence);
    expect_within(analyse(testing::killed_after(whole, sequence)));
  }
}

TEST(Shapes, OfATrainingByHand) {
  const std::set<std::string> kinds = testing::kinds_of(analyse(testing::make_training_run({}).recording));
  for (const char* kind : {"constant_band", "repeating_step", "zero_grad_cliff", "first_step_growth"})
    EXPECT_TRUE(kinds.contains(kind)) << kind;
  EXPECT_FALSE(kinds.contains("recomputation_waves"));
}

TEST(ConstantBand, IsATwentiethOfThePeak) {
  const auto facts = [](std::uint64_t other) {
    return run_of({.forward = [=](RunBuilder& run) { run.free(run.allocate(other)); }}, 2, 100);
  };
  const Shape band = only(facts(1900), ShapeKind::kConstantBand);
  EXPECT_EQ(band.bytes, 100U);
  EXPECT_EQ(band.level_bytes, 100U);
  EXPECT_FALSE(has(facts(2000), ShapeKind::kConstantBand));
}

// Steps that allocate and free these amounts, one after the other.
Facts steps_of(const std::vector<std::vector<std::uint64_t>>& steps) {
  std::size_t step = 0;
  return run_of({.forward =
                     [&](RunBuilder& run) {
                       for (const std::uint64_t bytes : steps[step]) run.free(run.allocate(bytes));
                       ++step;
                     }},
                static_cast<std::int64_t>(steps.size()));
}

TEST(RepeatingStep, HasTheSameSizesInTheSameOrder) {
  EXPECT_EQ(only(steps_of({{300, 200}, {300, 200}}), ShapeKind::kRepeatingStep).count, 2U);
  EXPECT_FALSE(has(steps_of({{300, 200}, {200, 300}}), ShapeKind::kRepeatingStep));
  EXPECT_FALSE(has(steps_of({{300, 200}, {300, 200, 8}}), ShapeKind::kRepeatingStep));
  EXPECT_FALSE(has(steps_of({{300, 200}}), ShapeKind::kRepeatingStep));
}

TEST(RepeatingStep, IsTheLongestRowOfNeighbours) {
  const Shape shape = only(steps_of({{300}, {200}, {200}, {200}, {300}, {300}}), ShapeKind::kRepeatingStep);
  EXPECT_EQ(shape.count, 3U);
  EXPECT_EQ(shape.bytes, 200U);
  EXPECT_EQ(shape.step, 2);
  EXPECT_FALSE(has(steps_of({{300}, {200}, {300}, {200}}), ShapeKind::kRepeatingStep));
}

TEST(RepeatingStep, ComesBackWhereItLeavesNothing) {
  const auto detail = [](const Shape& shape) { return std::get<RepeatingStepDetail>(shape.detail); };
  EXPECT_TRUE(detail(only(steps_of({{300, 200}, {300, 200}}), ShapeKind::kRepeatingStep)).comes_back);
  const auto leaving = [](std::uint64_t bytes, std::int64_t steps) {
    return only(run_of({.forward =
                            [=](RunBuilder& run) {
                              run.free(run.allocate(1000 * 1024));
                              run.allocate(bytes * 1024);
                            }},
                       steps),
                ShapeKind::kRepeatingStep);
  };
  EXPECT_TRUE(detail(leaving(2, 5)).comes_back) << "10 of 1,000";
  EXPECT_FALSE(detail(leaving(20, 5)).comes_back);
  EXPECT_EQ(detail(leaving(20, 5)).left_bytes, 20 * 1024);
  EXPECT_EQ(leaving(20, 5).remedies, std::vector{Remedy::kReleaseLeftover});
}

// The bytes that each step leaves.
Facts left_by(const std::vector<std::uint64_t>& left) {
  std::size_t step = 0;
  return run_of({.optimizer =
                     [&](RunBuilder& run) {
                       if (left[step] > 0) run.allocate(left[step]);
                       ++step;
                     }},
                static_cast<std::int64_t>(left.size()));
}

TEST(FirstStepGrowth, IsOfTheFirstStepAlone) {
  const Shape growth = only(left_by({400, 0}), ShapeKind::kFirstStepGrowth);
  EXPECT_EQ(growth.bytes, 400U);
  EXPECT_EQ(growth.step, 0);
  EXPECT_EQ(growth.level_bytes, 1400U);
  EXPECT_TRUE(has(left_by({400, 40}), ShapeKind::kFirstStepGrowth));
  EXPECT_FALSE(has(left_by({400, 41}), ShapeKind::kFirstStepGrowth));
  EXPECT_FALSE(has(left_by({0, 400}), ShapeKind::kFirstStepGrowth));
  EXPECT_FALSE(has(left_by({400}), ShapeKind::kFirstStepGrowth));
}

TEST(FirstStepGrowth, SaysOfLaterStepsWhatTheyDo) {
  const auto later_bytes = [](const std::vector<std::uint64_t>& left) {
    const Shape growth = only(left_by(left), ShapeKind::kFirstStepGrowth);
    return std::get<FirstStepGrowthDetail>(growth.detail).later_bytes;
  };
  EXPECT_EQ(later_bytes({400, 10, 10, 10, 10}), 0U);
  EXPECT_EQ(later_bytes({400, 40, 40, 40}), 80U);
  EXPECT_EQ(later_bytes({400, 0, 0, 400, 0}), 400U);
  EXPECT_EQ(later_bytes({400, 0, 0, 400}), 0U) << "nothing clears its gradients";
}

// Two steps; the first makes an optimizer state and leaves one extra block of its forward or backward.
Facts growth_with(bool leaves_gradient, bool leaves_output) {
  std::uint64_t gradient = 0;
  bool is_first = true;
  Facts facts = run_of({.forward =
                            [&](RunBuilder& run) {
                              if (is_first && leaves_output)
                                run.module("out", [&] { run.op("aten::mm", [&] { run.allocate(300); }); });
                            },
                        .backward =
                            [&](RunBuilder& run) {
                              gradient = run.allocate(1000);
                              run.tensor(STRATA_TENSOR_GRADIENT, "weight", gradient, kParameterAddress);
                            },
                        .optimizer =
                            [&](RunBuilder& run) {
                              if (is_first) run.allocate(400);
                              if (!is_first || !leaves_gradient) run.free(gradient);
                              is_first = false;
                            }},
                       2);
  facts.is_configured = false;
  return facts;
}

TEST(FirstStepGrowth, SaysOfGradientsOnlyWhereTheyAreLeft) {
  EXPECT_EQ(first_step_growth(growth_with(true, false)).at(0).remedies,
            (std::vector{Remedy::kEarlyState, Remedy::kZeroGradAtEnd}));
  EXPECT_EQ(first_step_growth(growth_with(false, false)).at(0).remedies, std::vector{Remedy::kEarlyState});
}

// The remaining memory may be a workspace, or may not depend on any setting.
TEST(FirstStepGrowth, AdvisesNothingThatChangesNothing) {
  Facts facts = growth_with(true, false);
  for (Block& block : facts.blocks) {
    if (block.kind == BlockKind::kState) block.kind = BlockKind::kWorkspace;
    if (block.kind == BlockKind::kGradient) block.name = static_cast<std::uint32_t>(facts.texts.size());
  }
  facts.texts.emplace_back("parameter 0.grad");  // gradient of a batch
  const auto found = first_step_growth(facts);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].remedies, std::vector{Remedy::kIsUsedAgain});
}

TEST(FirstStepGrowth, NamesWhatAVariableHoldsBeyondBackward) {
  const Shape growth = first_step_growth(growth_with(false, true)).at(0);
  EXPECT_EQ(growth.remedies, (std::vector{Remedy::kEarlyState, Remedy::kReleaseOutputs}));
  const auto& detail = std::get<FirstStepGrowthDetail>(growth.detail);
  EXPECT_EQ(detail.held.op, "aten::mm");
  EXPECT_EQ(detail.held.layer, "out");
}

}  // namespace
}  // namespace strata::analysis
