// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/equal_steps.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/analysis/analyse.hpp"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "tests/analysis/run_builder.hpp"

namespace strata::analysis {
namespace {

using testing::RunBuilder;

// A step of two phases with an allocation of these bytes in each; operators only if they are recorded.
void step(RunBuilder& run, std::int64_t index, bool is_recorded, std::uint64_t bytes = 1024) {
  run.step(index, STRATA_STEP_ACTIVE, [&] {
    std::uint64_t output = 0;
    run.phase(STRATA_PHASE_FORWARD, "forward", [&] {
      const auto allocate = [&] { output = run.allocate(bytes); };
      is_recorded ? run.op("aten::mm", allocate) : allocate();
    });
    run.phase(STRATA_PHASE_BACKWARD, "backward", [&] {
      const auto free = [&] { run.free(output); };
      is_recorded ? run.op("MmBackward0", free, 1) : free();
    });
  });
}

std::vector<std::string> operators(const Facts& facts) {
  std::vector<std::string> names;
  for (const Block& block : facts.blocks) names.emplace_back(facts.texts[block.op]);
  return names;
}

TEST(EqualSteps, TakeTheOperatorsOfTheStepThatDoesTheSame) {
  RunBuilder run;
  step(run, 0, true);
  step(run, 1, false);
  step(run, 2, true, 4096);
  step(run, 3, false, 4096);
  const Facts facts = analyse(run.finish());
  EXPECT_EQ(operators(facts), (std::vector<std::string>{"aten::mm", "aten::mm", "aten::mm", "aten::mm"}));
  EXPECT_EQ(facts.step_detail.recorded, 2u);
  EXPECT_EQ(facts.step_detail.named, 2u);
  EXPECT_EQ(facts.step_detail.without, 0u);
}

TEST(EqualSteps, MayHaveOtherSizes) {
  RunBuilder run;
  step(run, 0, true);
  step(run, 1, false, 512);
  EXPECT_EQ(operators(analyse(run.finish())), (std::vector<std::string>{"aten::mm", "aten::mm"}));
}

// Where sizes distinguish two paths, the sizes decide.
TEST(EqualSteps, OfTheSameSizesComeFirst) {
  RunBuilder run;
  const auto other = [&](std::int64_t index, bool is_recorded) {
    run.step(index, STRATA_STEP_ACTIVE, [&] {
      std::uint64_t output = 0;
      run.phase(STRATA_PHASE_FORWARD, "forward", [&] {
        const auto allocate = [&] { output = run.allocate(2048); };
        is_recorded ? run.op("aten::bmm", allocate) : allocate();
      });
      run.phase(STRATA_PHASE_BACKWARD, "backward", [&] { run.free(output); });
    });
  };
  step(run, 0, true);
  other(1, true);
  other(2, false);
  step(run, 3, false);
  EXPECT_EQ(operators(analyse(run.finish())),
            (std::vector<std::string>{"aten::mm", "aten::bmm", "aten::bmm", "aten::mm"}));
}

TEST(EqualSteps, OneThatDoesSomethingElseHasNoOperators) {
  RunBuilder run;
  step(run, 0, true);
  run.step(1, STRATA_STEP_ACTIVE,
           [&] { run.phase(STRATA_PHASE_FORWARD, "forward", [&] { run.free(run.allocate(768)); }); });
  const Facts facts = analyse(run.finish());
  EXPECT_EQ(operators(facts), (std::vector<std::string>{"aten::mm", ""}));
  EXPECT_EQ(facts.step_detail.without, 1u);
}

// As in the last step of a run, after which nothing follows.
TEST(EqualSteps, ThatBeginTheSameTakeOperatorsUpToTheirOwnWay) {
  RunBuilder run;
  const auto long_step = [&](std::int64_t index, bool is_recorded, std::uint64_t last) {
    run.step(index, STRATA_STEP_ACTIVE, [&] {
      run.phase(STRATA_PHASE_FORWARD, "forward", [&] {
        const auto allocate = [&] {
          run.allocate(512);
          run.allocate(1024);
        };
        is_recorded ? run.op("aten::mm", allocate) : allocate();
        const auto end = [&] {
          run.free(run.allocate(last));
          run.allocate(last);
        };
        is_recorded ? run.op("aten::cat", end) : end();
      });
    });
  };
  long_step(0, true, 64);
  run.step(1, STRATA_STEP_ACTIVE, [&] {
    run.phase(STRATA_PHASE_FORWARD, "forward", [&] {
      run.allocate(512);
      run.allocate(1024);
      run.allocate(2048);
    });
  });
  const Facts facts = analyse(run.finish());
  EXPECT_EQ(operators(facts), (std::vector<std::string>{"aten::mm", "aten::mm", "aten::cat", "aten::cat",
                                                        "aten::mm", "aten::mm", ""}));
  EXPECT_EQ(facts.step_detail.named, 1u);
}

// The previous step left only the operator within which this step begins.
TEST(EqualSteps, AStepWithOneOperatorOfAnotherIsNotRecorded) {
  RunBuilder run;
  const auto step_of = [&](std::int64_t index, bool is_recorded) {
    run.step(index, STRATA_STEP_ACTIVE, [&] {
      run.phase(STRATA_PHASE_FORWARD, "forward", [&] {
        run.op("aten::embedding", [&] { run.allocate(512); });
        const auto rest = [&] {
          run.allocate(1024);
          run.allocate(2048);
        };
        is_recorded ? run.op("aten::mm", rest) : rest();
      });
    });
  };
  step_of(0, true);
  step_of(1, false);
  const Facts facts = analyse(run.finish());
  EXPECT_EQ(facts.step_detail.recorded, 1u);
  EXPECT_EQ(operators(facts), (std::vector<std::string>{"aten::embedding", "aten::mm", "aten::mm",
                                                        "aten::embedding", "aten::mm", "aten::mm"}));
}

// The same allocations in another phase are a different path.
TEST(EqualSteps, PhasesMustBeTheSame) {
  RunBuilder run;
  step(run, 0, true);
  run.step(1, STRATA_STEP_ACTIVE, [&] {
    std::uint64_t output = 0;
    run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] { output = run.allocate(1024); });
    run.phase(STRATA_PHASE_BACKWARD, "backward", [&] { run.free(output); });
  });
  EXPECT_EQ(analyse(run.finish()).step_detail.without, 1u);
}

TEST(EqualSteps, NothingIsSharedWhereNoStepRecordedOperators) {
  RunBuilder run;
  step(run, 0, false);
  step(run, 1, false);
  const Facts facts = analyse(run.finish());
  EXPECT_EQ(facts.step_detail.recorded, 0u);
  EXPECT_EQ(facts.step_detail.without, 2u);
}

// Whatever a step does, the properties of its blocks must be the same as if the step had recorded
// operators.
TEST(EqualSteps, BlocksAreWhatTheyWouldBeWithOperators) {
  const auto recorded = [](bool all) {
    RunBuilder run;
    for (std::int64_t index = 0; index < 4; ++index) step(run, index, all || index == 0);
    return analyse(run.finish());
  };
  const Facts all = recorded(true), some = recorded(false);
  ASSERT_EQ(all.blocks.size(), some.blocks.size());
  for (std::size_t index = 0; index < all.blocks.size(); ++index) {
    EXPECT_EQ(all.blocks[index].category, some.blocks[index].category) << index;
    EXPECT_EQ(all.blocks[index].kind, some.blocks[index].kind) << index;
    EXPECT_EQ(all.texts[all.blocks[index].op], some.texts[some.blocks[index].op]) << index;
  }
}

}  // namespace
}  // namespace strata::analysis
