// SPDX-License-Identifier: Apache-2.0
// Cells that share a machine's GPUs and memory, as processes that log their assignment.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "host/grid/begin.hpp"
#include "tests/grid/fake_cell.hpp"

namespace strata::test {
namespace {

// Each cell logs its GPUs at its start and end, so the log is in order of time.
constexpr const char* kNotes =
    "log=$(dirname \"$1\")/../../log; echo \"begin $CUDA_VISIBLE_DEVICES\" >> \"$log\"; sleep 0.2; "
    "echo \"end $CUDA_VISIBLE_DEVICES\" >> \"$log\"";

struct Slots {
  explicit Slots(int count) : cells(kNotes), plan(seeds(count)), folder(cells.path() / "grid") {
    std::filesystem::create_directories(folder.path());
  }

  void run(const grid::Machine& machine, const std::vector<std::uint64_t>& memory = {}) {
    folder.write_plan(plan);
    grid::Runner runner(folder, plan, settled_states(folder, plan), machine, cells.command(), watcher);
    if (!memory.empty()) runner.expect_memory(memory);
    runner.run();
    states = runner.states();
  }

  // For each GPU (or set of GPUs): the most cells at once, and their total number.
  std::map<std::string, std::pair<int, int>> noted() const {
    std::map<std::string, std::pair<int, int>> found;
    std::map<std::string, int> now;
    std::ifstream in(folder.path() / "log");
    std::string what, gpus;
    for (std::string line; std::getline(in, line);) {
      what = line.substr(0, line.find(' '));
      gpus = line.substr(line.find(' ') + 1);
      now[gpus] += what == "begin" ? 1 : -1;
      if (what == "begin") ++found[gpus].second;
      found[gpus].first = std::max(found[gpus].first, now[gpus]);
    }
    return found;
  }

  FakeCells cells;
  grid::Plan plan;
  grid::GridFolder folder;
  Silent watcher;
  std::vector<grid::CellState> states;
};

void on_gpus(grid::Plan& plan, std::int64_t count) {
  for (grid::Cell& cell : plan.cells) {
    cell.device = "cuda";
    cell.needs = {.cores = 1, .gpus = count};
  }
}

TEST(Slots, AreOneForEachGpu) {
  Slots slots(6);
  on_gpus(slots.plan, 1);
  slots.run({.cores = 8, .gpus = {"4", "7"}, .memory_bytes = 0});
  const auto noted = slots.noted();
  EXPECT_EQ(slots.watcher.most_at_once, 2U);
  ASSERT_EQ(noted.size(), 2U);
  EXPECT_EQ(noted.at("4").first, 1);
  EXPECT_EQ(noted.at("7").first, 1);
  EXPECT_EQ(noted.at("4").second + noted.at("7").second, 6);
  std::set<std::string> kept;
  for (const grid::Cell& cell : slots.plan.cells) kept.insert(slots.folder.read_state(cell.id).gpus);
  EXPECT_EQ(kept, (std::set<std::string>{"4", "7"}));
}

TEST(Slots, AreSeveralOnAGpuWhereItIsSaid) {
  Slots slots(4);
  on_gpus(slots.plan, 1);
  slots.plan.engine.cells_per_gpu = 2;
  slots.run({.cores = 8, .gpus = {"4"}, .memory_bytes = 0});
  EXPECT_EQ(slots.noted().at("4"), std::pair(2, 4));
}

TEST(Slots, GiveACellAllThatItNeeds) {
  Slots slots(2);
  on_gpus(slots.plan, 2);
  slots.run({.cores = 8, .gpus = {"4", "5", "6"}, .memory_bytes = 0});
  EXPECT_EQ(slots.noted().at("4,5"), std::pair(1, 2));
}

TEST(Slots, AreWhatThePredictedMemoryAllows) {
  for (const auto& [bytes, most] : {std::pair(60ULL, 1U), std::pair(40ULL, 2U)}) {
    Slots slots(4);
    slots.run({.cores = 8, .gpus = {}, .memory_bytes = 100}, std::vector<std::uint64_t>(4, bytes));
    EXPECT_EQ(slots.watcher.most_at_once, most);
    for (const grid::CellState& state : slots.states) EXPECT_EQ(state.status, grid::Status::kOk);
  }
}

}  // namespace
}  // namespace strata::test
