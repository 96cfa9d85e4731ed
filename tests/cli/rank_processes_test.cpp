// SPDX-License-Identifier: Apache-2.0
#include "host/cli/training/rank_processes.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "host/cli/exit_code.hpp"
#include "host/cli/usage_error.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

using cli::run_rank_processes;
using trainer::RankPlace;

void sleep_long() {
  std::this_thread::sleep_for(std::chrono::minutes(1));
}

TEST(RankProcesses, EachHasAPlaceAndAllMeetAtOneFile) {
  const TemporaryFolder folder;
  const auto write_place = [&](const RankPlace& place) {
    std::ofstream(folder.path() / std::to_string(place.rank))
        << place.world_size << ' ' << place.local_rank << ' ' << place.local_world_size << ' '
        << place.rendezvous.string();
    return cli::kDone;
  };
  EXPECT_EQ(run_rank_processes(3, write_place), cli::kDone);
  std::string first_file;
  for (int rank = 0; rank < 3; ++rank) {
    std::ifstream in(folder.path() / std::to_string(rank));
    int world_size = 0, local_rank = 0, local_world_size = 0;
    std::string file;
    in >> world_size >> local_rank >> local_world_size >> file;
    EXPECT_EQ(world_size, 3);
    EXPECT_EQ(local_rank, rank);
    EXPECT_EQ(local_world_size, 3);
    if (rank == 0) first_file = file;
    EXPECT_EQ(file, first_file);
  }
  EXPECT_FALSE(first_file.empty());
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(first_file).parent_path()))
      << "it is left behind";
}

TEST(RankProcesses, TheFirstThatFailsSaysHowItEnded) {
  const auto fails = [](const RankPlace& place) {
    if (place.rank == 1) return cli::kOutOfMemory;
    sleep_long();
    return cli::kDone;
  };
  EXPECT_EQ(run_rank_processes(3, fails), cli::kOutOfMemory);
}

TEST(RankProcesses, WhatARankThrowsIsSaidAndItsExitCodeKept) {
  const auto throws = [](const RankPlace& place) -> int {
    if (place.rank == 1) throw cli::UsageError("there is no such thing");
    sleep_long();
    return cli::kDone;
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_rank_processes(2, throws), cli::kUsage);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("strata: rank 1: there is no such thing"),
            std::string::npos);
}

TEST(RankProcesses, WhoDoesNotEndIsKilled) {
  const auto begin = std::chrono::steady_clock::now();
  const auto stubborn = [](const RankPlace& place) {
    signal(SIGTERM, SIG_IGN);
    if (place.rank == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      return cli::kFailed;
    }
    sleep_long();
    return cli::kDone;
  };
  EXPECT_EQ(run_rank_processes(2, stubborn, std::chrono::milliseconds(100)), cli::kFailed);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(RankProcesses, ARankThatIsKilledIsAFailure) {
  const auto dies = [](const RankPlace& place) {
    if (place.rank == 0) raise(SIGKILL);
    sleep_long();
    return cli::kDone;
  };
  EXPECT_EQ(run_rank_processes(2, dies), cli::kSignalBase + SIGKILL);
}

TEST(RankProcesses, SignalsReachEveryRank) {
  const auto ends_itself = [](const RankPlace& place) {
    if (place.rank == 0) kill(getppid(), SIGTERM);
    sleep_long();
    return cli::kDone;
  };
  EXPECT_EQ(run_rank_processes(3, ends_itself), cli::kSignalBase + SIGTERM);
}

}  // namespace
}  // namespace strata::test
