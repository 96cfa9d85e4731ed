// SPDX-License-Identifier: Apache-2.0
// A grid's folder: plans and states are read back, only one grid at a time holds it, and a full disk is
// reported as an error.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

#include "host/grid/begin.hpp"
#include "host/grid/folder_lock.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/grid/plan/plan_text.hpp"
#include "host/grid/processes/durable_file.hpp"
#include "host/grid/table/labels.hpp"
#include "tests/grid/grid_text.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

grid::Plan some_plan() {
  return plan(
             "axes: {accumulation: [1, 2], model.layers: [1, 2]}\nlimits: {timeout: 3s, on_fail: stop, "
             "skip_dominated: [accumulation]}\n"
             "engine: {slots: 2, memory: 1GiB}\nrepeats: 2\n")
      .plan;
}

TEST(GridFolder, GivesThePlanBack) {
  const TemporaryFolder temporary;
  const grid::GridFolder folder(temporary.path());
  EXPECT_THROW(folder.read_plan(), grid::FolderError);
  folder.write_plan(some_plan());
  const grid::Plan read = folder.read_plan(true);
  EXPECT_EQ(grid::plan_text(read), grid::plan_text(some_plan()));
  EXPECT_EQ(read.cells[3].config_yaml, some_plan().cells[3].config_yaml);
  EXPECT_EQ(read.limits.timeout, std::chrono::seconds(3));
}

TEST(GridFolder, GivesTheLabelsOfAPlanBack) {
  const TemporaryFolder temporary;
  const grid::GridFolder folder(temporary.path());
  folder.write_plan(plan("axes: {optimizer: {plain: {name: sgd, momentum: 0}}}").plan);
  const grid::Plan read = folder.read_plan(true);
  ASSERT_EQ(read.labels.size(), 1U);
  EXPECT_EQ(read.labels[0].settings, "{name: sgd, momentum: 0}");
  EXPECT_EQ(grid::labels_text(read),
            "\naxis       label  stands for\noptimizer  plain  {name: sgd, momentum: 0}\n");
}

TEST(GridFolder, SaysWhatIsWrongWithAPlan) {
  const TemporaryFolder temporary;
  const grid::GridFolder folder(temporary.path());
  const std::string text = grid::plan_text(some_plan());
  for (const std::string& broken : {text.substr(0, text.size() / 2), std::string("{}"),
                                    std::string("{\"schema\": \"strata.grid/9\"}"), std::string("[1]")}) {
    temporary.write("plan.json", broken);
    EXPECT_THROW(folder.read_plan(), grid::FolderError);
  }
}

// An id is a folder's name: no plan may leave the grid's folder.
TEST(GridFolder, TakesNoIdThatIsNone) {
  std::string text = grid::plan_text(some_plan());
  const std::string id = some_plan().cells[0].id;
  text.replace(text.find(id), id.size(), "../../up");
  EXPECT_FALSE(grid::parse_plan(text));
}

TEST(GridFolder, TakesACutOffStateForNone) {
  const TemporaryFolder temporary;
  const grid::GridFolder folder(temporary.path());
  temporary.write("cells/0a/state.json", "{\"status\": \"o");
  EXPECT_EQ(folder.read_state("0a").status, grid::Status::kPlanned);
}

TEST(GridFolder, SaysWhatChanged) {
  const grid::PlanChange change = change_between(plan("axes: {accumulation: [1, 2, 3]}").plan,
                                                 plan("axes: {accumulation: [2, 3, 4, 5]}").plan);
  EXPECT_EQ(change.kept, 2U);
  EXPECT_EQ(change.added, 2U);
  EXPECT_EQ(change.removed, 1U);
}

TEST(FolderLock, IsHeldByOne) {
  const TemporaryFolder temporary;
  EXPECT_EQ(grid::FolderLock::holder(temporary.path()), "");
  {
    const auto lock = grid::FolderLock::take(temporary.path());
    ASSERT_TRUE(lock);
    EXPECT_FALSE(grid::FolderLock::take(temporary.path()));
    EXPECT_TRUE(grid::FolderLock::holder(temporary.path())
                    .starts_with("process " + std::to_string(getpid()) + " on host "));
  }
  EXPECT_EQ(grid::FolderLock::holder(temporary.path()), "");
  EXPECT_TRUE(grid::FolderLock::take(temporary.path()));
}

TEST(DurableFile, LeavesTheOldOneWhereThereIsNoRoom) {
  const TemporaryFolder temporary;
  const auto file = temporary.path() / "state.json";
  grid::write_durably(file, "old");
  const pid_t pid = fork();
  if (pid == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 100, .rlim_max = 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      grid::write_durably(file, std::string(1000, 'x'));
      _exit(1);
    } catch (const grid::WriteError& error) {
      _exit(error.no_room() && std::string(error.what()).find("File too large") != std::string::npos ? 0 : 2);
    }
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(grid::read_if_there(file), "old");
  EXPECT_FALSE(std::filesystem::exists(temporary.path() / "state.json.part"));
}

TEST(DurableFile, SaysWhereNothingCanBeWritten) {
  EXPECT_THROW(grid::write_durably("/nowhere/state.json", "x"), grid::WriteError);
}

}  // namespace
}  // namespace strata::test
