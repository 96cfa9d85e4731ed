// SPDX-License-Identifier: Apache-2.0
#include "host/grid/processes/process_set.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "host/grid/processes/durable_file.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

using grid::ProcessSet;

std::vector<ProcessSet::Ended> all(ProcessSet& processes, std::size_t count) {
  std::vector<ProcessSet::Ended> ended;
  for (int turn = 0; ended.size() < count && turn < 100; ++turn) {
    for (const auto& each : processes.wait(std::chrono::milliseconds(200))) ended.push_back(each);
  }
  return ended;
}

TEST(ProcessSet, TellsHowEachEnded) {
  const TemporaryFolder folder;
  ProcessSet processes;
  const pid_t well = processes.start(
      {.words = {"/bin/sh", "-c", "echo out; echo err >&2; exit 7"}, .output = folder.path() / "a"});
  const pid_t killed =
      processes.start({.words = {"/bin/sh", "-c", "kill -9 $$"}, .output = folder.path() / "b"});
  for (const auto& ended : all(processes, 2)) {
    if (ended.pid == well) {
      EXPECT_EQ(ended.exit_code, 7);
    }
    if (ended.pid == killed) {
      EXPECT_EQ(ended.signal, SIGKILL);
    }
  }
  EXPECT_EQ(grid::read_if_there(folder.path() / "a"), "out\nerr\n");
}

TEST(ProcessSet, GivesVariablesAndTakesInput) {
  const TemporaryFolder folder;
  ProcessSet processes;
  processes.start({.words = {"/bin/sh", "-c", "cat; echo $GIVEN"},
                   .variables = {{"GIVEN", "here"}},
                   .output = folder.path() / "a"});
  ASSERT_EQ(all(processes, 1).size(), 1U);
  EXPECT_EQ(grid::read_if_there(folder.path() / "a"), "here\n");
}

TEST(ProcessSet, SaysThatAProgramIsNotThere) {
  const TemporaryFolder folder;
  ProcessSet processes;
  processes.start({.words = {"/nowhere/program"}, .output = folder.path() / "a"});
  const auto ended = all(processes, 1);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].exit_code, 126);
}

TEST(ProcessSet, TakesASignalInsteadOfDying) {
  ProcessSet processes;
  raise(SIGTERM);
  processes.wait(std::chrono::milliseconds(1000));
  EXPECT_EQ(processes.interruption(), SIGTERM);
  EXPECT_FALSE(processes.interruption());
}

TEST(ProcessSet, EndsAllThatAProgramLeftBehind) {
  const TemporaryFolder folder;
  ProcessSet processes;
  processes.start({.words = {"/bin/sh", "-c", "sleep 100 & echo $!"}, .output = folder.path() / "a"});
  ASSERT_EQ(all(processes, 1).size(), 1U);
  const pid_t left = std::stoi(grid::read_if_there(folder.path() / "a"));
  bool gone = false;
  for (int turn = 0; !gone && turn < 100; ++turn) {
    std::ifstream in("/proc/" + std::to_string(left) + "/stat");
    std::string line;
    gone = !std::getline(in, line) || line.find(") Z ") != std::string::npos;
    processes.wait(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(gone);
}

TEST(ProcessSet, RefusesAnOutputThatCannotBe) {
  ProcessSet processes;
  EXPECT_THROW(processes.start({.words = {"/bin/true"}, .output = "/nowhere/at/all"}), grid::WriteError);
}

}  // namespace
}  // namespace strata::test
