// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/open_phases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

PhaseFact phase(std::uint32_t kind, std::uint64_t begin, std::uint64_t end) {
  PhaseFact fact;
  fact.kind = kind;
  fact.begin_sequence = begin;
  fact.end_sequence = end;
  return fact;
}

TEST(OpenPhases, FindsTheInnermost) {
  const std::vector<PhaseFact> phases{phase(STRATA_PHASE_BACKWARD, 10, 50),
                                      phase(STRATA_PHASE_FORWARD, 20, 30),
                                      phase(STRATA_PHASE_OPTIMIZER, 60, UINT64_MAX)};
  const OpenPhases open(phases);
  EXPECT_FALSE(open.innermost(9).has_value());
  EXPECT_EQ(open.innermost(10), 0u);
  EXPECT_EQ(open.innermost(20), 1u);
  EXPECT_EQ(open.innermost(30), 0u);  // an end comes after its phase
  EXPECT_FALSE(open.innermost(50).has_value());
  EXPECT_EQ(open.innermost(1000), 2u);
}

TEST(OpenPhases, ARecomputationIsABackwardsAndAnUnknownFrameNobodys) {
  const std::vector<PhaseFact> phases{phase(STRATA_PHASE_OTHER, 5, 90), phase(STRATA_PHASE_BACKWARD, 10, 50),
                                      phase(STRATA_PHASE_FORWARD, 20, 30)};
  const OpenPhases open(phases);
  EXPECT_EQ(open.part_of_step(25), 1u);
  EXPECT_EQ(open.part_of_step(40), 1u);
  EXPECT_EQ(open.part_of_step(60), 0u);
  EXPECT_FALSE(open.part_of_step(90).has_value());
}

TEST(OpenPhases, AClosureIsNotTheOptimizersThatCallsIt) {
  const std::vector<PhaseFact> phases{phase(STRATA_PHASE_OPTIMIZER, 5, 90),
                                      phase(STRATA_PHASE_BACKWARD, 10, 50),
                                      phase(STRATA_PHASE_FORWARD, 20, 30)};
  const OpenPhases open(phases);
  EXPECT_EQ(open.part_of_step(25), 1u);
  EXPECT_EQ(open.part_of_step(40), 1u);
  EXPECT_EQ(open.part_of_step(60), 0u);
}

// Phases of different threads may overlap without nesting.
TEST(OpenPhases, AgreesWithLookingAtEveryPhase) {
  std::mt19937 random(1);
  for (int run = 0; run < 200; ++run) {
    std::vector<PhaseFact> phases;
    for (int i = 0; i < 30; ++i) {
      const std::uint64_t begin = random() % 100;
      phases.push_back(phase(static_cast<std::uint32_t>(random() % 13), begin, begin + random() % 40));
    }
    std::ranges::stable_sort(phases, {}, &PhaseFact::begin_sequence);
    const OpenPhases open(phases);
    for (std::uint64_t sequence = 0; sequence < 150; ++sequence) {
      std::optional<OpenPhases::Index> expected;
      for (OpenPhases::Index index = 0; index < phases.size(); ++index) {
        if (phases[index].begin_sequence <= sequence && sequence < phases[index].end_sequence)
          expected = index;
      }
      ASSERT_EQ(open.innermost(sequence), expected) << sequence;
    }
  }
}

}  // namespace
}  // namespace strata::analysis
