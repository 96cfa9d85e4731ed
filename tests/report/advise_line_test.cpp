// SPDX-License-Identifier: Apache-2.0
#include "host/report/advise_line.hpp"
#include "host/analysis/facts/facts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace strata::report {
namespace {

constexpr std::uint64_t kGibi = std::uint64_t{1} << 30U;

analysis::Facts of_program(const std::string& command) {
  analysis::Facts facts;
  facts.is_configured = false;
  facts.command = command;
  facts.dry.emplace();
  facts.dry->profile = "rtx-4090";
  facts.dry->memory_bytes = 24 * kGibi;
  return facts;
}

TEST(AdviseLine, NamesTheProgramThatRan) {
  EXPECT_EQ(advise_line(of_program("python train.py 16 1"), 80),
            "What would make it fit: strata advise --device rtx-4090 -- python train.py 16 1\n");
}

TEST(AdviseLine, HasTheMemoryAndTheCardsOfTheRun) {
  analysis::Facts facts = of_program("torchrun --nproc-per-node 2 train.py");
  facts.dry->devices = 2;
  facts.dry->memory_is_given = true;
  facts.dry->memory_bytes = 10400 * (kGibi >> 10U);
  EXPECT_EQ(
      advise_command(facts),
      "strata advise --device rtx-4090:2 --device-memory 10400MiB -- torchrun --nproc-per-node 2 train.py");
}

TEST(AdviseLine, HasTheBudgetInPlaceOfTheRunsMemory) {
  const analysis::Facts facts = of_program("python train.py");
  EXPECT_EQ(advise_command(facts, 12 * kGibi),
            "strata advise --device rtx-4090 --device-memory 12GiB -- python train.py");
  EXPECT_EQ(advise_command(facts, 12 * kGibi - 1),
            "strata advise --device rtx-4090 --device-memory 12884901887 -- python train.py");
}

TEST(AdviseLine, NamesTheConfigurationOfATraining) {
  analysis::Facts facts = of_program("");
  facts.is_configured = true;
  facts.directory = "runs/my run";
  EXPECT_EQ(advise_command(facts), "strata advise 'runs/my run/config.yaml' --device rtx-4090");
}

TEST(AdviseLine, SaysWhereToFindWhatTheRecordingDoesNotSay) {
  analysis::Facts facts = of_program("");
  facts.dry.reset();
  EXPECT_EQ(
      advise_line(facts, 130),
      "What would make it fit, on a CARD of `strata devices`: strata advise --device CARD -- COMMAND\n");
}

TEST(AdviseLine, IsNeverCutWithinTheCommand) {
  const std::string command = "python train.py --data " + std::string(200, 'x');
  EXPECT_EQ(advise_line(of_program(command), 80),
            "What would make it fit:\n  strata advise --device rtx-4090 -- " + command + '\n');
}

TEST(AdviseLine, KeepsTheLinesOfAScriptAndNoControlCharacters) {
  EXPECT_EQ(advise_line(of_program("python -c 'import torch\nx = \"\x1b\"'"), 130),
            "What would make it fit:\n  strata advise --device rtx-4090 -- python -c 'import torch\nx = "
            "\"\xef\xbf\xbd\"'\n");
}

}  // namespace
}  // namespace strata::report
