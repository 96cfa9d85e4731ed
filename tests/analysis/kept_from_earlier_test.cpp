// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/kept_from_earlier.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "host/analysis/peak/findings.hpp"
#include "tests/analysis/shapes/shape_run.hpp"

namespace strata::analysis {
namespace {

using testing::has;
using testing::only;
using testing::run_of;
using testing::RunBuilder;
using testing::StepScript;

std::uint64_t made_by(RunBuilder& run, const char* op, std::uint64_t bytes) {
  std::uint64_t address = 0;
  run.module("head", [&] { run.op(op, [&] { address = run.allocate(bytes); }); });
  return address;
}

// Each step's backward frees what its forward saved; what `keep` allocates in addition is left to it.
Facts training_that(const StepScript::Part& keep, std::int64_t steps) {
  std::uint64_t saved = 0;
  Facts facts = run_of({.forward =
                            [&](RunBuilder& run) {
                              saved = made_by(run, "aten::tanh", 2000);
                              keep(run);
                            },
                        .backward = [&](RunBuilder& run) { run.free(saved); },
                        .optimizer = [](RunBuilder& run) { run.free(run.allocate(8)); }},
                       steps);
  facts.is_configured = false;
  return facts;
}

Facts keeping_outputs(std::int64_t steps) {
  return training_that([](RunBuilder& run) { made_by(run, "aten::addmm", 500); }, steps);
}

// The finding at the peak.
Finding kept_in(const Facts& facts) {
  for (Finding& finding : findings_at(facts, facts.peak, 1))
    if (finding.kind == FindingKind::kKeptFromEarlier) return finding;
  return {};
}

TEST(KeptFromEarlier, IsWhatStaysOfThreeForwards) {
  EXPECT_FALSE(has(keeping_outputs(2), ShapeKind::kGrowingMemory));
  const Facts facts = keeping_outputs(4);
  const Shape shape = only(facts, ShapeKind::kGrowingMemory);
  EXPECT_EQ(shape.bytes, 2000U);
  EXPECT_EQ(shape.count, 4U);
  EXPECT_EQ(shape.step, 3);
  const auto& detail = std::get<GrowingMemoryDetail>(shape.detail);
  EXPECT_TRUE(detail.is_by_step && detail.lasts_to_end);
  EXPECT_EQ(detail.steps, 4U);
  EXPECT_EQ(detail.first_step, 0);
  EXPECT_EQ(detail.last_step, 3);
  EXPECT_EQ(detail.maker.op, "aten::addmm");
  EXPECT_EQ(detail.maker.layer, "head");
  EXPECT_EQ(shape.remedies, (std::vector{Remedy::kMoveKept, Remedy::kNoGrad}));
  EXPECT_EQ(kept_in(facts).bytes, 1500U) << "all but the step's own";
  const auto kept = std::get<KeptFinding>(kept_in(facts).detail);
  EXPECT_EQ(kept.forwards, 3U);
  EXPECT_FALSE(kept.are_graphs);
  EXPECT_EQ(kept.maker.layer, "head");
}

TEST(KeptFromEarlier, IsNoVariableThatTheNextStepSets) {
  std::uint64_t last = 0;
  EXPECT_FALSE(has(training_that(
                       [&](RunBuilder& run) {
                         if (last != 0) run.free(last);
                         last = made_by(run, "aten::addmm", 500);
                       },
                       8),
                   ShapeKind::kGrowingMemory));
}

TEST(KeptFromEarlier, IsNoQueue) {
  std::deque<std::uint64_t> queue;
  const Facts facts = training_that(
      [&](RunBuilder& run) {
        queue.push_back(made_by(run, "aten::addmm", 500));
        if (queue.size() > 4) {
          run.free(queue.front());
          queue.pop_front();
        }
      },
      12);
  EXPECT_TRUE(KeptFromEarlier(facts).blocks().empty());
}

// Six results in every fourth step, which the following steps use.
TEST(KeptFromEarlier, IsNoRollout) {
  std::deque<std::uint64_t> rollout;
  int step = 0;
  const Facts facts = training_that(
      [&](RunBuilder& run) {
        if (step++ % 4 != 0) return;
        for (; !rollout.empty(); rollout.pop_front()) run.free(rollout.front());
        for (int forward = 0; forward < 6; ++forward) rollout.push_back(made_by(run, "aten::addmm", 500));
      },
      12);
  EXPECT_FALSE(has(facts, ShapeKind::kGrowingMemory));
}

TEST(KeptFromEarlier, AListThatIsEmptiedGrowsUntilThen) {
  std::deque<std::uint64_t> list;
  const Facts facts = training_that(
      [&](RunBuilder& run) {
        if (list.size() == 5)
          for (; !list.empty(); list.pop_front()) run.free(list.front());
        list.push_back(made_by(run, "aten::addmm", 500));
      },
      13);
  const Shape shape = only(facts, ShapeKind::kGrowingMemory);
  EXPECT_EQ(shape.bytes, 2000U) << "nobody knows of the last what it is";
  EXPECT_FALSE(std::get<GrowingMemoryDetail>(shape.detail).lasts_to_end);
  EXPECT_EQ(std::get<GrowingMemoryDetail>(shape.detail).last_step, 3);
}

// Forwards without a backward keep their graph, and its result.
TEST(KeptFromEarlier, OfAGraphTheResultStays) {
  int step = 0;
  const Facts facts = training_that(
      [&](RunBuilder& run) {
        run.free(made_by(run, "aten::addmm", 100));
        if (++step < 5) return;
        for (int forward = 0; forward < 6; ++forward) {
          made_by(run, "aten::tanh", 900);
          made_by(run, "aten::addmm", 100);
        }
      },
      5);
  const Shape shape = only(facts, ShapeKind::kGrowingMemory);
  EXPECT_EQ(shape.bytes, 6000U);
  const auto& detail = std::get<GrowingMemoryDetail>(shape.detail);
  EXPECT_FALSE(detail.is_by_step);
  EXPECT_EQ(detail.forwards, 6U);
  EXPECT_EQ(detail.first_step, 4);
  EXPECT_EQ(shape.remedies, (std::vector{Remedy::kDetachKept, Remedy::kNoGrad}));
  EXPECT_EQ(kept_in(facts).bytes, 4U * 1000U)
      << "a variable has the last one's graph until the next is there";
  EXPECT_TRUE(std::get<KeptFinding>(kept_in(facts).detail).are_graphs);
}

}  // namespace
}  // namespace strata::analysis
