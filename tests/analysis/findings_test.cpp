// SPDX-License-Identifier: Apache-2.0
// Findings at one moment, with a few hand-made blocks.
#include "host/analysis/peak/findings.hpp"
#include "host/analysis/facts/facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/analysis/json/summary_parts.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

class FindingsTest : public ::testing::Test {
 protected:
  FindingsTest() {
    facts_.texts = {""};
    facts_.is_configured = false;
    failure_.requested_bytes = 100;
    failure_.largest_gap_bytes = 100;
    failure_.held.sequence = 50;
  }

  void phase(std::uint32_t kind, const std::string& name, std::uint64_t begin, std::uint64_t end) {
    PhaseFact& added = facts_.phases.emplace_back();
    added.kind = kind;
    added.name = name;
    added.begin_sequence = begin;
    added.end_sequence = end;
  }

  std::uint32_t text(const std::string& value) {
    facts_.texts.push_back(value);
    return static_cast<std::uint32_t>(facts_.texts.size() - 1);
  }

  // Reserved but free at the failure.
  void free_in_pieces(std::uint64_t bytes, std::uint64_t largest) {
    failure_.held.allocated_bytes = 1000;
    failure_.held.reserved_bytes = 1000 + bytes;
    failure_.largest_gap_bytes = largest;
  }

  std::vector<Finding> found() const { return findings_of(facts_, failure_); }

  Facts facts_;
  OutOfMemory failure_;
};

TEST_F(FindingsTest, AreNoneOfNothing) {
  EXPECT_TRUE(found().empty());
}

TEST_F(FindingsTest, PiecesAreToldWhereEachIsTooSmall) {
  free_in_pieces(500, 99);
  ASSERT_EQ(found().size(), 1U);
  EXPECT_EQ(found()[0].kind, FindingKind::kFragmentation);
  EXPECT_EQ(found()[0].bytes, 500U);
  failure_.largest_gap_bytes = 100;
  EXPECT_TRUE(found().empty());
}

TEST_F(FindingsTest, NoPiecesAreToldOfSegmentsThatGrow) {
  free_in_pieces(500, 99);
  facts_.allocator_settings = "expandable_segments:True,max_split_size_mb:64";
  EXPECT_TRUE(found().empty());
}

TEST_F(FindingsTest, NobodyKnowsPiecesWhereSegmentsAreNotTold) {
  free_in_pieces(500, 99);
  facts_.reserved.emplace_back().bytes = 1500;
  EXPECT_TRUE(found().empty());
  facts_.reserved.emplace_back().segment_address = 0x1000;
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(FindingsTest, AFreeThatAStreamDefersIsNoFreePiece) {
  free_in_pieces(500, 99);
  facts_.samples.deferred.push_back({.sequence = 40, .bytes = 300});
  const std::vector<Finding> both = found();
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].kind, FindingKind::kDeferredFrees);
  EXPECT_EQ(both[0].bytes, 300U);
  EXPECT_EQ(both[1].kind, FindingKind::kFragmentation);
  EXPECT_EQ(both[1].bytes, 200U);
}

TEST_F(FindingsTest, NextToNothingIsNotTold) {
  free_in_pieces(9, 9);
  failure_.requested_bytes = 1000;
  EXPECT_TRUE(found().empty());
  free_in_pieces(10, 9);
  EXPECT_EQ(found().size(), 1U);
}

// A forward's result that is alive in the optimizer's step; in Strata's own training the trainer needs it.
TEST_F(FindingsTest, WhatAVariableHoldsBeyondBackwardIsTold) {
  phase(STRATA_PHASE_FORWARD, "forward", 5, 20);
  phase(STRATA_PHASE_BACKWARD, "backward", 20, 40);
  phase(STRATA_PHASE_OPTIMIZER, "AdamW.step", 45, 60);
  Block logits;
  logits.bytes = 700;
  logits.birth_sequence = 10;
  logits.category = Category::kActivation;
  logits.kind = BlockKind::kForwardResidue;
  logits.phase = 1;
  logits.op = text("aten::mm");
  logits.layer = text("head");
  facts_.blocks.push_back(logits);
  ASSERT_EQ(found().size(), 1U);
  EXPECT_EQ(found()[0].kind, FindingKind::kHeldByProgram);
  EXPECT_EQ(found()[0].bytes, 700U);
  EXPECT_EQ(found()[0].module, "head");
  const auto held = std::get<HeldFinding>(found()[0].detail);
  EXPECT_EQ(held.may_go, MayGo::kBeforeOptimizer);
  EXPECT_EQ(held.maker.op, "aten::mm");
  EXPECT_EQ(held.maker.layer, "head");
  facts_.is_configured = true;
  EXPECT_TRUE(found().empty());
}

// A backward of 5000 bytes, followed by an optimizer of 2500.
class BoundsTest : public FindingsTest {
 protected:
  BoundsTest() {
    phase(STRATA_PHASE_BACKWARD, "backward", 20, 60);
    phase(STRATA_PHASE_OPTIMIZER, "AdamW.step", 65, 90);
    facts_.device = "cuda:0";
    facts_.end = analysis::RunEnd::kDone;
    block(1000, 10, UINT64_MAX);
    block(4000, 50, 60);
    block(1500, 70, 80);
    for (const auto& [sequence, bytes] :
         {std::pair{50U, 5000U}, std::pair{60U, 1000U}, std::pair{70U, 2500U}, std::pair{80U, 1000U}}) {
      Point& point = facts_.points.emplace_back();
      point.sequence = sequence;
      point.bytes[0] = bytes;
    }
  }

  void block(std::uint64_t bytes, std::uint64_t birth, std::uint64_t death) {
    Block& added = facts_.blocks.emplace_back();
    added.bytes = bytes;
    added.birth_sequence = birth;
    added.death_sequence = death;
  }
};

TEST_F(BoundsTest, LoweringAPeakGainsTheDistanceToTheNextAtMost) {
  const BudgetCheck check = check_budget(facts_, 2400);
  ASSERT_FALSE(check.findings.empty());
  EXPECT_EQ(check.findings[0].kind, FindingKind::kNextPeak);
  EXPECT_EQ(check.findings[0].bytes, 2500U);
  EXPECT_EQ(std::get<BoundFinding>(check.findings[0].detail).phase, "AdamW.step");
  EXPECT_TRUE(check_budget(facts_, 5000).findings.empty());
}

TEST_F(BoundsTest, NobodyKnowsThemOfARunThatRanOut) {
  facts_.end = analysis::RunEnd::kOutOfMemory;
  EXPECT_TRUE(check_budget(facts_, 2400).findings.empty());
  failure_.findings = {{.kind = FindingKind::kFragmentation, .bytes = 7}};
  facts_.out_of_memory.push_back(failure_);
  for (const std::uint64_t budget : {2400U, 9000U}) {
    const BudgetCheck check = check_budget(facts_, budget);
    ASSERT_EQ(check.findings.size(), 1U);
    EXPECT_EQ(check.findings[0].bytes, 7U);
  }
}

TEST_F(BoundsTest, AreInTheDocument) {
  const auto document =
      nlohmann::json::parse(budget_document(facts_, check_budget(facts_, 2400), [](const Finding& each) {
        return std::string(to_string(each.kind));
      }));
  EXPECT_EQ(document["schema"], "strata.budget/2");
  const auto& finding = document["findings"].at(0);
  EXPECT_EQ(finding["kind"], "next_peak");
  EXPECT_EQ(finding["bytes"], 2500U);
  EXPECT_TRUE(finding["module"].is_null());
  EXPECT_EQ(finding["text"], "next_peak");
}

}  // namespace
}  // namespace strata::analysis
