// SPDX-License-Identifier: Apache-2.0
#include "host/cli/peak_resets.hpp"
#include "host/analysis/facts/facts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/cli/usage_error.hpp"

namespace strata::test {
namespace {

analysis::Facts three_steps() {
  analysis::Facts facts;
  facts.phases.push_back({.name = "setup", .begin_sequence = 1, .begin_ns = 10});
  for (std::int64_t step = 3; step < 6; ++step) {
    const auto sequence = static_cast<std::uint64_t>(step) * 100;
    facts.steps.push_back({.index = step, .begin_sequence = sequence, .begin_ns = step * 1000});
    for (const char* const name : {"forward", "backward"})
      facts.phases.push_back({.name = name,
                              .step = step,
                              .begin_sequence = sequence + facts.phases.size(),
                              .begin_ns = step * 1000 + 1});
  }
  return facts;
}

std::string labels(const std::string& where) {
  std::string text;
  for (const analysis::PeakReset& reset : cli::peak_resets(three_steps(), where))
    text += reset.label + " at " + std::to_string(reset.sequence) + "; ";
  return text;
}

std::string refusal(const std::string& where) {
  try {
    cli::peak_resets(three_steps(), where);
  } catch (const cli::UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(PeakResets, AreAtStepsAndPhases) {
  EXPECT_EQ(labels("step=4"), "step 4 at 400; ");
  EXPECT_EQ(labels("step=4,phase=backward"), "step 4 backward at 404; ");
  EXPECT_EQ(labels("phase=forward"), "step 3 forward at 301; step 4 forward at 403; step 5 forward at 505; ");
  EXPECT_EQ(labels("phase=setup"), "setup at 1; ");
}

TEST(PeakResets, AreRefusedWithWhatThereIs) {
  EXPECT_EQ(refusal("step=9"), "--reset step=9: this run recorded steps 3 to 5");
  EXPECT_EQ(refusal("phase=forwards"),
            "--reset phase=forwards: the phases there are backward, forward, setup");
  EXPECT_EQ(refusal("step=4,phase=setup"),
            "--reset step=4,phase=setup: the phases there are backward, forward");
  for (const char* const where : {"", "step", "step=", "step=x", "step=4x", "step=4,", "phase=", "epoch=1",
                                  "step=4,backward", "step=99999999999999999999"}) {
    EXPECT_NE(refusal(where).find("expected step=3, phase=backward or step=3,phase=backward"),
              std::string::npos)
        << where << ": " << refusal(where);
  }
}

}  // namespace
}  // namespace strata::test
