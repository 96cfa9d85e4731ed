// SPDX-License-Identifier: Apache-2.0
// A cell's id depends on what it computes, and on nothing else.
#include "host/grid/plan/identity.hpp"

#include <gtest/gtest.h>

#include "tests/grid/grid_text.hpp"

namespace strata::test {
namespace {

std::string id_of(const std::string& rest) {
  return plan(rest).plan.cells.at(0).id;
}

TEST(Identity, IsTheDigestThatEverybodyComputes) {
  EXPECT_EQ(grid::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(grid::sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

// Changing the text behind the id would lose every grid in progress.
TEST(Identity, IsTheSameAsEver) {
  EXPECT_EQ(id_of("plugins: []"), "ec33fcb9b182");
}

TEST(Identity, DoesNotKnowHowItWasWritten) {
  EXPECT_EQ(id_of("set: {optimizer.lr: 1e-3, accumulation: 2}"),
            id_of("set: {accumulation: 2, optimizer: {lr: 0.001}}"));
  EXPECT_EQ(id_of("name: one"), id_of("name: other"));
  EXPECT_EQ(id_of("set: {accumulation: 1}"), id_of(""));  // the default
  EXPECT_EQ(id_of("axes: {accumulation: [3]}"), id_of("set: {accumulation: 3}"));
  EXPECT_EQ(id_of("limits: {timeout: 3s}\nengine: {slots: 2}"), id_of(""));
}

TEST(Identity, KnowsEverySetting) {
  for (const char* const setting :
       {"seed: 1", "accumulation: 2", "model.layers: 2", "device: {dry: h200}", "checkpointing: block",
        "optimizer.lr: 0.5", "plugins: [nvtx_markers]", "schedule.active: 9"})
    EXPECT_NE(id_of(std::string("set: {") + setting + "}"), id_of("")) << setting;
}

TEST(Identity, OfAShapeLeavesOutTheSeed) {
  const grid::Planned planned = plan("repeats: 2");
  EXPECT_NE(planned.plan.cells[0].id, planned.plan.cells[1].id);
  EXPECT_EQ(planned.plan.cells[0].shape_id, planned.plan.cells[1].shape_id);
  EXPECT_NE(planned.plan.cells[0].shape_id, plan("set: {accumulation: 2}").plan.cells[0].shape_id);
}

}  // namespace
}  // namespace strata::test
