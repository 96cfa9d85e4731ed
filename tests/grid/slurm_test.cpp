// SPDX-License-Identifier: Apache-2.0
// Files written for Slurm and read from it; tests/integration/test_grid_slurm.py runs it.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "host/grid/begin.hpp"
#include "host/grid/plan/plan_text.hpp"
#include "host/grid/slurm/queue.hpp"
#include "host/grid/slurm/script.hpp"
#include "host/grid/slurm/submission.hpp"
#include "host/report/shell_word.hpp"
#include "tests/grid/grid_text.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

std::vector<std::string> numbered(int count) {
  std::vector<std::string> ids;
  for (int index = 0; index < count; ++index) ids.push_back("c" + std::to_string(index));
  return ids;
}

TEST(Submission, FillsArraysUpToTheLargest) {
  const grid::Submission submission = grid::divided("/g/slurm/1", numbered(10), 2, 3);
  ASSERT_EQ(submission.arrays.size(), 2U);
  EXPECT_EQ(submission.arrays[0].tasks, 3);
  EXPECT_EQ(submission.arrays[1].offset, 3);
  EXPECT_EQ(submission.arrays[1].tasks, 2);
  EXPECT_EQ(grid::divided("/g", numbered(6), 2, 3).arrays.size(), 1U);
}

TEST(Submission, GivesEveryCellToOneTask) {
  const TemporaryFolder folder;
  for (const int pack : {1, 2, 3, 7, 50}) {
    const grid::Submission submission = grid::divided(folder.path(), numbered(17), pack, 4);
    grid::write_list(submission);
    std::vector<std::string> all;
    for (const grid::ArrayJob& array : submission.arrays) {
      for (std::int64_t task = 0; task < array.tasks; ++task) {
        const auto cells = grid::cells_of_task(submission.list(), task + array.offset, pack);
        all.insert(all.end(), cells.begin(), cells.end());
      }
    }
    EXPECT_EQ(all, numbered(17)) << pack;
  }
  EXPECT_THROW(grid::cells_of_task(folder.path() / "cells.txt", 17, 1), std::runtime_error);
  EXPECT_THROW(grid::cells_of_task(folder.path() / "cells.txt", -1, 1), std::runtime_error);
  EXPECT_THROW(grid::cells_of_task(folder.path() / "cells.txt", INT64_MAX, INT64_MAX), std::runtime_error);
  EXPECT_THROW(grid::cells_of_task(folder.path() / "none.txt", 0, 1), std::runtime_error);
}

TEST(Submission, IsReadBack) {
  const TemporaryFolder grid;
  grid::Submission submission = grid::divided(grid::begin_submission(grid.path()), numbered(3), 1, 2);
  EXPECT_EQ(submission.folder, grid.path() / "slurm/1");
  grid::write_list(submission);
  EXPECT_TRUE(grid::submissions_of(grid.path()).empty());  // written but not submitted
  submission.arrays[0].job = "12";
  grid::write_jobs(submission);
  grid.write("slurm/2/jobs.json", "{\"schema\": \"strata.slurm/1\", \"arrays\": 3}");
  const auto all = grid::submissions_of(grid.path());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].ids, numbered(3));
  EXPECT_EQ(all[0].arrays[0].job, "12");
  EXPECT_EQ(all[0].arrays[1].job, "");
  EXPECT_EQ(grid::begin_submission(grid.path()).filename(), "3");
}

TEST(Submission, GivesNoFolderToTwo) {
  constexpr std::size_t kWriters = 8, kEach = 25;
  const TemporaryFolder grid;
  std::vector<std::vector<std::string>> given(kWriters);
  std::vector<std::thread> writers;
  for (std::vector<std::string>& mine : given) {
    writers.emplace_back([&] {
      for (std::size_t each = 0; each < kEach; ++each)
        mine.push_back(grid::begin_submission(grid.path()).filename().string());
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::set<std::string> all;
  for (const std::vector<std::string>& mine : given) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), kWriters * kEach);
}

TEST(Queue, KnowsTheCellsOfTasks) {
  grid::Submission submission = grid::divided("/g/slurm/1", numbered(5), 2, 2);
  submission.arrays[0].job = "12";
  submission.arrays[1].job = "13";
  const auto cells = grid::queued_cells(
      "12|1|RUNNING\n13|0|PENDING\n12|0|COMPLETING\n14|0|RUNNING\n13|1|RUNNING\n12|N/"
      "A|RUNNING\n12|-1|RUNNING\n12|2\nnonsense\n|||\n",
      {submission});
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells.at("c2").job, "12_1");
  EXPECT_EQ(cells.at("c3").state, "RUNNING");
  EXPECT_EQ(cells.at("c4").state, "PENDING");
}

// A job that squeue does not list is not treated as lost.
TEST(Queue, ThatIsUnknownLeavesJobsRunning) {
  const TemporaryFolder folder;
  const grid::GridFolder of_grid(folder.path());
  const grid::Plan made = plan("").plan;
  of_grid.write_plan(made);
  grid::CellState state;
  state.status = grid::Status::kRunning;
  state.attempt = 1;
  state.job = "12_0";
  of_grid.write_state(made.cells.front().id, state);
  const grid::Queue unknown{.by_cell = {}, .problem = "no answer"}, empty;
  const auto seen = [&](const grid::Queue& queue) {
    return states_as_seen(of_grid, made, false, queue).front().status;
  };
  EXPECT_EQ(seen(unknown), grid::Status::kRunning);
  EXPECT_EQ(settled_states(of_grid, made, unknown).front().status, grid::Status::kRunning);
  EXPECT_EQ(seen(empty), grid::Status::kLost);
}

TEST(Script, SaysWhatTheGridSays) {
  const grid::Plan made = plan(
                              "name: a_b\nengine: {kind: slurm, partition: gpu, account: lab, qos: low, "
                              "constraint: a100, time: 90m, gpus: 2, "
                              "cpus: 3, memory: 2GiB, throttle: 4, pack: 2, requeue: no, sbatch: "
                              "[--exclusive], setup: [module load cuda]}")
                              .plan;
  const grid::Submission submission = grid::divided("/g 100%/slurm/1", {made.cells.front().id}, 2, 9);
  const std::string script = grid::array_script(made, submission, submission.arrays.front(),
                                                {.program = "/bin/strata", .grid = "/g 100%"});
  EXPECT_EQ(
      script,
      "#!/bin/sh\n#SBATCH --job-name=strata-a_b\n#SBATCH --output=\"/g 100%%/slurm/1/%A_%a.txt\"\n"
      "#SBATCH --open-mode=append\n#SBATCH --partition=gpu\n#SBATCH --account=lab\n#SBATCH --qos=low\n"
      "#SBATCH --array=0-0%4\n#SBATCH --constraint=a100\n#SBATCH --time=1:30:00\n#SBATCH --cpus-per-task=3\n"
      "#SBATCH --mem=2048M\n#SBATCH --gres=gpu:2\n#SBATCH --no-requeue\n#SBATCH --exclusive\nmodule load "
      "cuda\n"
      "exec /bin/strata grid cell '/g 100%' --list '/g 100%/slurm/1/cells.txt' --offset 0 --pack 2 --index "
      "\"$SLURM_ARRAY_TASK_ID\"\n");
}

TEST(Script, KeepsItsOptionsInThePlan) {
  grid::Plan made = plan("engine: {kind: slurm, time: '1-12:00:00', throttle: 4, setup: [a, b]}").plan;
  const auto read = grid::parse_plan(grid::plan_text(made));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->engine.kind, grid::EngineKind::kSlurm);
  EXPECT_EQ(read->engine.slurm.time, "1-12:00:00");
  EXPECT_EQ(read->engine.slurm.throttle, 4);
  EXPECT_FALSE(read->engine.slurm.cpus);
  EXPECT_EQ(read->engine.slurm.setup, (std::vector<std::string>{"a", "b"}));
}

TEST(ShellWord, IsReadBackAsItWas) {
  EXPECT_EQ(report::shell_word("a/b-1.yaml"), "a/b-1.yaml");
  EXPECT_EQ(report::shell_word(""), "''");
  EXPECT_EQ(report::shell_word("it's $x"), "'it'\\''s $x'");
  EXPECT_EQ(report::shell_line({"a", "b c"}), "a 'b c'");
}

}  // namespace
}  // namespace strata::test
