// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/rank_facts.hpp"
#include "host/analysis/facts/facts.hpp"

#include <gtest/gtest.h>

#include "host/analysis/ranks/job_facts.hpp"
#include "host/analysis/ranks/waits.hpp"
#include "strata/ext/phase.h"
#include "tests/ranks/job_of_ranks.hpp"

namespace strata::analysis {
namespace {

using testing::kMs;

// One step with a backward of 10 ms; its own last allocation comes after 4, a bucket's after 8.
Facts one_step(std::uint64_t world_size) {
  Facts facts;
  facts.world_size = world_size;
  facts.texts = {""};
  facts.phases = {{STRATA_PHASE_FORWARD, "forward", 0, 0, 0, 10, 20, 0, 5 * kMs},
                  {STRATA_PHASE_BACKWARD, "backward", 0, 0, 0, 21, 40, 5 * kMs, 15 * kMs},
                  {STRATA_PHASE_GRADIENT_SYNC, "loss_sync", 0, 0, 0, 41, 42, 16 * kMs, 18 * kMs}};
  StepFact step;
  step.begin_sequence = 9;
  step.end_sequence = 50;
  step.end_ns = 20 * kMs;
  step.complete = true;
  facts.steps = {step};
  Block own, bucket;
  own.birth_sequence = 25;
  own.birth_ns = 9 * kMs;
  own.kind = BlockKind::kGradient;
  bucket.birth_sequence = 30;
  bucket.birth_ns = 13 * kMs;
  bucket.kind = BlockKind::kBucket;
  facts.blocks = {own, bucket};
  return facts;
}

TEST(RankFacts, TheLastGradientIsTheLastOwnAllocation) {
  const RankFacts rank = rank_facts(one_step(2));
  ASSERT_EQ(rank.steps.size(), 1u);
  ASSERT_EQ(rank.steps.front().phases.size(), 3u);
  ASSERT_TRUE(rank.steps.front().backward_end.has_value());
  EXPECT_EQ(rank.steps.front().backward_end->last_gradient_ns, 9 * kMs) << "the bucket's says nothing";
  EXPECT_EQ(rank.steps.front().backward_end->goes_on_ns, 16 * kMs);
}

// As in a loop that marks its phases without gaps.
TEST(RankFacts, ItGoesOnWithThePhaseThatBeginsWhereBackwardEnds) {
  Facts facts = one_step(2);
  facts.phases[2].begin_ns = facts.phases[1].end_ns;
  facts.phases.push_back({STRATA_PHASE_OPTIMIZER, "optimizer", 0, 0, 0, 43, 44, 18 * kMs, 19 * kMs});
  EXPECT_EQ(rank_facts(facts).steps.front().backward_end.value().goes_on_ns, 15 * kMs);
}

TEST(RankFacts, ItGoesOnAtTheEndOfTheBackwardThatIsTheLastPhase) {
  Facts facts = one_step(2);
  facts.phases.pop_back();
  EXPECT_EQ(rank_facts(facts).steps.front().backward_end.value().goes_on_ns, 15 * kMs);
}

TEST(RankFacts, AStepWithoutABackwardHasNoEndOfOne) {
  Facts facts = one_step(2);
  facts.phases[1].kind = STRATA_PHASE_EVALUATION;
  EXPECT_FALSE(rank_facts(facts).steps.front().backward_end.has_value());
}

TEST(RankFacts, KeepsWhatShowsWhoAveragesWithWhom) {
  Facts facts = one_step(2);
  facts.texts = {"", "AddmmBackward0", "aten::relu"};
  facts.blocks[0].phase = 2;  // the backward
  facts.blocks[0].op = 1;
  facts.blocks[1].bytes = 4096;
  Block of_forward = facts.blocks[0], again = facts.blocks[0];
  of_forward.phase = 1;
  of_forward.op = 2;
  facts.blocks.insert(facts.blocks.begin(), of_forward);
  facts.blocks.push_back(again);
  const RankFacts rank = rank_facts(facts);
  EXPECT_EQ(rank.bucket_bytes, (std::vector<std::uint64_t>{4096}));
  EXPECT_EQ(rank.backward_operators, (std::vector<std::string>{"AddmmBackward0"}));
}

TEST(Waits, LastUntilTheFirstRankGoesOnAndInAllOfASynchronisation) {
  std::vector<RankFacts> ranks{rank_facts(one_step(2)), rank_facts(one_step(2))};
  ranks[1].steps.front().backward_end->goes_on_ns = 12 * kMs;
  find_waits(ranks, RankClocks(ranks));
  const RankStep& step = ranks[0].steps.front();
  EXPECT_EQ(step.phases[0].waited_ns, 0);
  EXPECT_EQ(step.phases[1].waited_ns, 3 * kMs);
  EXPECT_EQ(step.phases[2].waited_ns, 2 * kMs);
  EXPECT_EQ(step.waited_ns, 5 * kMs);
}

TEST(Waits, OneRankAndDryRanksWaitForNobody) {
  std::vector<RankFacts> one{rank_facts(one_step(1))};
  find_waits(one, RankClocks(one));
  EXPECT_EQ(one.front().steps.front().waited_ns, 0);
  std::vector<RankFacts> dry{rank_facts(one_step(2)), rank_facts(one_step(2))};
  dry[0].is_dry = dry[1].is_dry = true;
  find_waits(dry, RankClocks(dry));
  EXPECT_EQ(dry[0].steps.front().waited_ns, 0);
}

TEST(RankFacts, AStepThatWasCutShortIsLeftOut) {
  Facts facts = one_step(2);
  facts.steps.front().complete = false;
  EXPECT_TRUE(rank_facts(facts).steps.empty());
}

TEST(JobFacts, NamesTheRanksThatAreMissing) {
  std::vector<RankFacts> ranks = testing::job_of_ranks({.ranks = 4});
  ranks.erase(ranks.begin() + 1);
  const JobFacts job = job_facts(std::move(ranks), {{2, "damaged"}});
  ASSERT_EQ(job.lost.size(), 2u);
  EXPECT_EQ(job.lost[0].rank, 1u);
  EXPECT_EQ(job.lost[1].reason, "damaged");
}

TEST(JobFacts, ADryRankAloneStandsForAll) {
  std::vector<RankFacts> ranks = testing::job_of_ranks({.ranks = 1});
  ranks.front().world_size = 1024;
  ranks.front().is_dry = ranks.front().others_are_absent = true;
  EXPECT_TRUE(job_facts(std::move(ranks), {}).lost.empty());
}

// Eight processes were started, each on its own dry device, and one is left.
TEST(JobFacts, ADryRankAmongOthersIsMissedAsAnyOther) {
  std::vector<RankFacts> ranks = testing::job_of_ranks({.ranks = 1});
  ranks.front().world_size = 8;
  ranks.front().is_dry = true;
  EXPECT_EQ(job_facts(std::move(ranks), {}).lost.size(), 7u);
}

}  // namespace
}  // namespace strata::analysis
