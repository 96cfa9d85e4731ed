// SPDX-License-Identifier: Apache-2.0
#include "host/grid/pictures/timelines.hpp"

#include <gtest/gtest.h>

namespace strata::test {
namespace {

using Texts = std::vector<std::string>;

std::vector<grid::CellTimeline> two_cells() {
  return {
      {.label = "optimizer=sgd precision=bf16", .settings = {{"optimizer", "sgd"}, {"precision", "bf16"}}},
      {.label = "optimizer=adam8bit precision=bf16",
       .settings = {{"optimizer", "adam8bit"}, {"precision", "bf16"}}}};
}

TEST(Timelines, AreTitledWholeWhereAllHaveRoom) {
  const grid::TileTitles titles = tile_titles(two_cells(), [](const std::string&) { return true; });
  EXPECT_EQ(titles.tiles, (Texts{"optimizer=sgd precision=bf16", "optimizer=adam8bit precision=bf16"}));
  EXPECT_EQ(titles.axes, "");
}

TEST(Timelines, AreTitledByTheirLabelsAloneWhereOneHasNoRoom) {
  const auto fits = [](const std::string& text) { return text.size() < 30; };
  const grid::TileTitles titles = tile_titles(two_cells(), fits);
  EXPECT_EQ(titles.tiles, (Texts{"sgd, bf16", "adam8bit, bf16"}));
  EXPECT_EQ(titles.axes, "optimizer, precision");
}

TEST(Timelines, OfACellWithoutSettingsAreTitledByItsId) {
  const grid::TileTitles titles = grid::tile_titles({{.label = "2c0076e578c0", .settings = {}}},
                                                    [](const std::string&) { return false; });
  EXPECT_EQ(titles.tiles, Texts{"2c0076e578c0"});
  EXPECT_EQ(titles.axes, "");
}

}  // namespace
}  // namespace strata::test
