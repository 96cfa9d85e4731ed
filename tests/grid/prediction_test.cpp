// SPDX-License-Identifier: Apache-2.0
#include "host/grid/prediction.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/grid/fake_cell.hpp"

namespace strata::test {
namespace {

grid::Predictions predicted(const FakeCells& cells, const grid::Plan& plan, std::int64_t at_once,
                            std::size_t* told = nullptr) {
  const TemporaryFolder folder;
  return grid::predict(plan.cells, "b200", folder.path(), at_once, cells.command(),
                       [&](std::size_t done, std::size_t) {
                         if (told != nullptr) *told = done;
                       });
}

// Equal except for the seed: one process predicts for all.
TEST(Prediction, AsksOnceForCellsThatDifferInTheirSeedAlone) {
  const FakeCells cells("echo x >> \"$(dirname \"$0\")/asked\"");
  const grid::Plan made = seeds(3);
  const grid::Predictions found = predicted(cells, made, 2);
  EXPECT_FALSE(found.interrupted);
  ASSERT_EQ(found.by_shape.size(), 1U);
  EXPECT_EQ(found.by_shape.begin()->second.peak_allocated, 1000U);
  std::ifstream asked(cells.path() / "asked");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(asked), {}), "x\n");
}

// A killed process takes a moment to end: at most two seconds.
bool ends(int process) {
  for (int turn = 0; turn < 100; ++turn) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    if (!std::getline(stat, line) || line.find(") Z ") != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

// Ctrl-C arrives after one answer, while two more processes run with one child each; a fourth has not
// started.
TEST(Prediction, EndsWithAllThatItStartedWhenItIsInterrupted) {
  const FakeCells cells(
      "FOLDER=$(dirname \"$0\"); echo x >> \"$FOLDER/begun\"\n"
      "if grep -q 'layers: 1$' \"$1\"; then leave \"$1\" \"$2\" done; exit 0; fi\n"
      "sleep 1000 & echo $! >> \"$FOLDER/children\"\n"
      "while [ $(wc -l < \"$FOLDER/children\") -lt 2 ]; do sleep 0.01; done\n"
      "mkdir \"$FOLDER/sent\" && kill -INT $PPID; wait");
  const grid::Plan made = plan("axes: {model.layers: [1, 2, 3, 4]}\nset: {device: {dry: h200}}").plan;
  const auto begin = std::chrono::steady_clock::now();
  std::size_t told = 0;
  const grid::Predictions found = predicted(cells, made, 2, &told);
  EXPECT_EQ(found.interrupted, SIGINT);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_EQ(told, 1U);
  std::size_t known = 0;
  for (const auto& [shape, prediction] : found.by_shape) known += prediction.peak_allocated ? 1 : 0;
  EXPECT_EQ(known, 1U) << "what was answered stays";
  std::ifstream begun(cells.path() / "begun");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(begun), {}), "x\nx\nx\n") << "none began after it";
  std::ifstream children(cells.path() / "children");
  for (int child = 0; children >> child;) EXPECT_TRUE(ends(child)) << child;
}

}  // namespace
}  // namespace strata::test
