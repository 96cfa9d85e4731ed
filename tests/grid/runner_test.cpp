// SPDX-License-Identifier: Apache-2.0
// Cells end in every possible way; their states must show what happened.
#include "host/grid/runner.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "host/grid/begin.hpp"
#include "host/grid/folder_lock.hpp"
#include "tests/grid/fake_cell.hpp"

namespace strata::test {
namespace {

using grid::Status;

const std::vector<Status> kAll{Status::kPlanned, Status::kRunning, Status::kLost, Status::kFailed,
                               Status::kTimeout};
const grid::Machine kTwoCores{.cores = 2, .gpus = {}, .memory_bytes = 0};

struct Grid {
  Grid(const std::string& body, int count, const std::string& more = "")
      : cells(body), plan(seeds(count, more)), folder(cells.path() / "grid") {
    std::filesystem::create_directories(folder.path());
    folder.write_plan(plan);
  }

  grid::GridOutcome run() {
    std::vector<grid::CellState> before = settled_states(folder, plan);
    plan_again(before, kAll);
    grid::Runner runner(folder, plan, before, kTwoCores, cells.command(), watcher);
    grid::GridOutcome outcome = runner.run();
    states = runner.states();
    return outcome;
  }

  std::vector<Status> statuses() const {
    std::vector<Status> all;
    for (const grid::CellState& state : states) all.push_back(state.status);
    return all;
  }

  // The states in the files.
  std::vector<grid::CellState> kept() const {
    std::vector<grid::CellState> all;
    for (const grid::Cell& cell : plan.cells) all.push_back(folder.read_state(cell.id));
    return all;
  }

  FakeCells cells;
  grid::Plan plan;
  grid::GridFolder folder;
  Silent watcher;
  std::vector<grid::CellState> states;
};

std::vector<double> peaks(const std::vector<grid::CellState>& states) {
  std::vector<double> all;
  for (const grid::CellState& state : states)
    all.push_back(state.result ? state.result->measures[grid::Measure::kPeakAllocated].value_or(-1.0) : -1.0);
  return all;
}

TEST(Runner, RunsEveryCellOnceAndKeepsItsResult) {
  Grid grid("", 5);
  EXPECT_EQ(grid.run().end, grid::GridEnd::kOver);
  EXPECT_EQ(grid.statuses(), std::vector<Status>(5, Status::kOk));
  EXPECT_EQ(peaks(grid.kept()), (std::vector<double>{1000, 1001, 1002, 1003, 1004}));
  EXPECT_EQ(grid.states[0].result->measures[grid::Measure::kStepTime], 20.0);
  EXPECT_TRUE(grid.states[0].result->measures[grid::Measure::kWallTime]);
  EXPECT_LE(grid.watcher.most_at_once, 2U);

  grid.watcher.begun = 0;
  grid.run();
  EXPECT_EQ(grid.watcher.begun, 0);
}

TEST(Runner, TakesEachEndForWhatItIs) {
  Grid grid(
      "case $SEED in\n"
      "1) echo 'strata: bad luck' >&2; exit 1;;\n"
      "2) leave \"$1\" \"$2\" out_of_memory; exit 3;;\n"
      "3) kill -SEGV $$;;\n"
      "4) kill -KILL $$;;\n"
      "5) exit 0;;\n"
      "6) exit 143;;\n"
      "7) sleep 100;;\n"
      "8) echo 'cannot write x: No space left on device' >&2;;\n"
      "esac",
      9, "limits: {timeout: 1s}\n");
  EXPECT_EQ(grid.run().end, grid::GridEnd::kOver);
  EXPECT_EQ(grid.statuses(), (std::vector<Status>{Status::kOk, Status::kFailed, Status::kOutOfMemory,
                                                  Status::kFailed, Status::kLost, Status::kFailed,
                                                  Status::kLost, Status::kTimeout, Status::kOk}));
  EXPECT_EQ(grid.states[1].reason, "bad luck");
  EXPECT_EQ(grid.states[3].reason, "killed by SIGSEGV");
  EXPECT_EQ(grid.states[3].signal, SIGSEGV);
  EXPECT_TRUE(grid.states[4].reason.starts_with("killed by SIGKILL"));
  EXPECT_EQ(grid.states[5].reason, "ended successfully, but wrote no summary.json");
}

TEST(Runner, EndsWhatIgnoresItsTime) {
  Grid grid("[ $SEED = 1 ] && { trap '' TERM; sleep 100 & wait; sleep 100; }", 2, "limits: {timeout: 1s}\n");
  const auto begin = std::chrono::steady_clock::now();
  grid.run();
  EXPECT_EQ(grid.statuses(), (std::vector<Status>{Status::kOk, Status::kTimeout}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));
}

TEST(Runner, TriesAgainWhatHasNoResult) {
  Grid grid(
      "[ $SEED = 1 ] && [ ! -e \"$(dirname $1)/once\" ] && { : > \"$(dirname $1)/once\"; kill -SEGV $$; }",
      3);
  grid.run();
  EXPECT_EQ(grid.statuses(), (std::vector<Status>{Status::kOk, Status::kFailed, Status::kOk}));
  grid.watcher.begun = 0;
  grid.run();
  EXPECT_EQ(grid.watcher.begun, 1);
  EXPECT_EQ(peaks(grid.kept()), (std::vector<double>{1000, 1001, 1002}));
  EXPECT_EQ(grid.states[1].attempt, 2);
}

TEST(Runner, StopsWhereLimitsSaySo) {
  Grid grid("[ $SEED = 0 ] && exit 1", 6, "limits: {on_fail: stop}\nengine: {slots: 1}\n");
  EXPECT_EQ(grid.run().end, grid::GridEnd::kStopped);
  EXPECT_EQ(grid.watcher.begun, 1);
}

TEST(Runner, StopsWhenACellFindsNoRoom) {
  Grid grid("[ $SEED = 0 ] && { echo 'cannot write x: No space left on device' >&2; exit 1; }", 6,
            "engine: {slots: 1}\n");
  EXPECT_EQ(grid.run().end, grid::GridEnd::kNoRoom);
  EXPECT_EQ(grid.statuses()[0], Status::kLost);
  EXPECT_EQ(grid.watcher.begun, 1);
}

TEST(Runner, SkipsWhatIsLargerThanWhatRanOutOfMemory) {
  FakeCells cells("grep -q 'context: [48]$' \"$1\" && exit 3");
  const grid::Plan plan = test::plan(
                              "axes: {model.context: [2, 4, 8], accumulation: [1, 2]}\nengine: {slots: "
                              "1}\nset: {device: {dry: h200}}\n"
                              "limits: {skip_dominated: [model.context]}\n")
                              .plan;
  const grid::GridFolder folder(cells.path() / "grid");
  std::filesystem::create_directories(folder.path());
  folder.write_plan(plan);
  Silent watcher;
  grid::Runner runner(folder, plan, std::vector<grid::CellState>(6), kTwoCores, cells.command(), watcher);
  runner.run();
  EXPECT_EQ(runner.states()[4].status, Status::kSkipped);
  EXPECT_EQ(runner.states()[4].dominated_by, plan.cells[2].id);
  EXPECT_EQ(runner.states()[5].dominated_by, plan.cells[3].id);
  EXPECT_EQ(watcher.begun, 4);
}

TEST(Runner, FailsWhatNeedsMoreGpusThanThereAre) {
  Grid grid("", 2);
  for (grid::Cell& cell : grid.plan.cells) cell.needs.gpus = 2;
  grid.run();
  EXPECT_EQ(grid.statuses(), std::vector<Status>(2, Status::kFailed));
  EXPECT_EQ(grid.states[0].reason, "needs 2 GPUs, which this machine does not have");
}

// The grid's process is killed at random moments, repeatedly. The result is the same as without kills, and
// finished cells do not run again.
TEST(Runner, GoesOnAfterAnyKillAsIfNothingHadHappened) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> moment(0, 220);
  Grid grid("sleep 0.05", 8);
  int kills = 0;
  for (bool over = false; !over; ++kills) {
    ASSERT_LT(kills, 100);
    std::map<std::string, std::int64_t> finished;  // with the attempt
    for (const grid::Cell& cell : grid.plan.cells) {
      const grid::CellState state = grid.folder.read_state(cell.id);
      if (state.status == Status::kOk) finished.emplace(cell.id, state.attempt);
    }
    const pid_t pid = fork();
    if (pid == 0) {
      auto lock = grid::FolderLock::take(grid.folder.path());
      if (!lock) _exit(9);
      _exit(grid.run().end == grid::GridEnd::kOver ? 0 : 1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(moment(random)));
    if (kills < 12) kill(pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    over = WIFEXITED(status);
    EXPECT_TRUE(!over || WEXITSTATUS(status) == 0);
    for (const auto& [id, attempt] : finished) EXPECT_EQ(grid.folder.read_state(id).attempt, attempt);
  }
  EXPECT_EQ(peaks(grid.kept()), (std::vector<double>{1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007}));
}

TEST(Runner, TakesCellsAlongWhenItIsKilled) {
  Grid grid("echo $$ > \"$(dirname $1)/pid\"; sleep 100", 1);
  const pid_t pid = fork();
  if (pid == 0) _exit(grid.run().end == grid::GridEnd::kOver ? 0 : 1);
  const std::filesystem::path file = grid.folder.cell(grid.plan.cells[0].id) / "pid";
  pid_t cell = 0;
  for (int wait = 0; cell == 0 && wait < 200; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ifstream(file) >> cell;
  }
  ASSERT_GT(cell, 0);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  bool gone = false;
  for (int wait = 0; !gone && wait < 200; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ifstream state("/proc/" + std::to_string(cell) + "/stat");
    std::string line;
    gone = !std::getline(state, line) || line.find(") Z ") != std::string::npos;
  }
  EXPECT_TRUE(gone);
}

// Its cell had succeeded; only the runner died before recording it.
TEST(Runner, TakesWhatADeadOneLeftBehind) {
  Grid grid("", 2);
  grid.run();
  grid::CellState state = grid.folder.read_state(grid.plan.cells[0].id);
  state.status = Status::kRunning;
  state.result.reset();
  grid.folder.write_state(grid.plan.cells[0].id, state);
  grid.watcher.begun = 0;
  grid.run();
  EXPECT_EQ(grid.watcher.begun, 0);
  EXPECT_EQ(peaks(grid.kept()), (std::vector<double>{1000, 1001}));
}

TEST(Runner, RunsAgainWhatIsHalfThere) {
  Grid grid("", 2);
  grid.run();
  const std::string& id = grid.plan.cells[0].id;
  grid::CellState state = grid.folder.read_state(id);
  std::filesystem::remove(grid.folder.run(id, 1) / "report.html");
  state.status = Status::kRunning;
  grid.folder.write_state(id, state);
  grid.watcher.begun = 0;
  grid.run();
  EXPECT_EQ(grid.watcher.begun, 1);
  EXPECT_EQ(peaks(grid.kept()), (std::vector<double>{1000, 1001}));
  EXPECT_FALSE(std::filesystem::exists(grid.folder.run(id, 1)));
}

}  // namespace
}  // namespace strata::test
