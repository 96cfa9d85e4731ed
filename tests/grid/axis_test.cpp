// SPDX-License-Identifier: Apache-2.0
// The forms of an axis.
#include "host/grid/file/axis.hpp"

#include <gtest/gtest.h>

#include "tests/grid/grid_text.hpp"

namespace strata::test {
namespace {

using Texts = std::vector<std::string>;

TEST(Axis, IsAListOfValues) {
  EXPECT_EQ(cells("axes: {model.layers: [1, 2]}"), (Texts{"model.layers=1", "model.layers=2"}));
}

TEST(Axis, MultipliesOrAdds) {
  EXPECT_EQ(cells("axes: {model.context: {from: 2, to: 16, times: 2}}"),
            (Texts{"model.context=2", "model.context=4", "model.context=8", "model.context=16"}));
  EXPECT_EQ(cells("axes: {optimizer.lr: {from: 0.1, to: 0.3, step: 0.1}}"),
            (Texts{"optimizer.lr=0.1", "optimizer.lr=0.2", "optimizer.lr=0.3"}));
}

TEST(Axis, TakesKeysOfASectionTogether) {
  EXPECT_EQ(cells("axes: {optimizer: [{name: sgd, momentum: 0}, {name: sgd, momentum: 0.9}, {name: adamw}]}"),
            (Texts{"optimizer=sgd momentum=0", "optimizer=sgd momentum=0.9", "optimizer=adamw"}));
  EXPECT_EQ(cells("axes: {optimizer: [{name: sgd, momentum: 0.9}, {name: adamw}]}"),
            (Texts{"optimizer=sgd", "optimizer=adamw"}));
}

TEST(Axis, KeepsWhatAShortLabelStandsFor) {
  const auto labels = [](const std::string& axes) {
    Texts texts;
    for (const grid::ShortLabel& each : plan("axes: {" + axes + "}").plan.labels)
      texts.push_back(each.axis + " " + each.label + " " + each.settings);
    return texts;
  };
  const Texts with_adamw{"optimizer sgd {name: sgd, momentum: 0.9}", "optimizer adamw {name: adamw}"};
  EXPECT_EQ(labels("optimizer: {sgd: {name: sgd, momentum: 0.9}, adamw: {name: adamw}}"), with_adamw);
  EXPECT_EQ(labels("optimizer: [{name: sgd, momentum: 0.9}, {name: adamw}]"), with_adamw);
  EXPECT_EQ(labels("optimizer: [{name: sgd, momentum: 0}, {name: sgd, momentum: 0.9}, {name: adamw}]"),
            Texts{});
  EXPECT_EQ(labels("optimizer: {adamw: {name: adamw}, sgd: {name: sgd}}"), Texts{});
  EXPECT_EQ(labels("kind: {small: {model.layers: 1}}"), (Texts{"kind small {model.layers: 1}"}));
  EXPECT_EQ(labels("optimizer: [{name: sgd, momentum: 0}, {name: sgd, momentum: 0.9}]"), Texts{});
  EXPECT_EQ(labels("model.layers: [1, 2], checkpointing: [{every: 1}, {every: 2}]"), Texts{});
  EXPECT_EQ(labels("data: [{batch_size: 1}, {batch_size: 2}]"), Texts{});
}

TEST(Axis, CouplesKeysUnderNames) {
  const Texts expected{"kind=small", "kind=large"};
  EXPECT_EQ(cells("axes: {kind: {small: {model.layers: 1, accumulation: 1}, large: {model: {layers: 2}, "
                  "accumulation: 4}}}"),
            expected);
  EXPECT_EQ(cells("axes:\n  kind:\n    - small: {model.layers: 1}\n    - large: {model.layers: 2}"),
            expected);
  EXPECT_EQ(cells("axes: {kind: [{name: small, model.layers: 1}, {name: large, model.layers: 2}]}"),
            expected);
}

TEST(Axis, ExpandsInnerListsOfANamedMapAlone) {
  EXPECT_EQ(cells("axes: {optimizer: {adamw: {name: adamw}, galore: {name: galore_adamw, rank: [2, 4]}}}"),
            (Texts{"optimizer=adamw", "optimizer=galore rank=2", "optimizer=galore rank=4"}));
}

TEST(Axis, HasMappingsAsValuesWhereAKeyTakesThem) {
  EXPECT_EQ(cells("axes: {checkpointing: [none, {every: 2}]}"),
            (Texts{"checkpointing=none", "checkpointing={every: 2}"}));
}

TEST(Axis, VariesTheLastFastest) {
  EXPECT_EQ(cells("axes: {model.layers: [1, 2], accumulation: [1, 2]}"),
            (Texts{"model.layers=1 accumulation=1", "model.layers=1 accumulation=2",
                   "model.layers=2 accumulation=1", "model.layers=2 accumulation=2"}));
}

TEST(Axis, SetsWhatItSays) {
  const grid::Planned planned = plan("axes: {kind: {deep: {model.layers: 3, optimizer: {lr: 0.5}}}}");
  EXPECT_NE(planned.plan.cells[0].config_yaml.find("layers: 3"), std::string::npos);
  EXPECT_NE(planned.plan.cells[0].config_yaml.find("lr: 0.5"), std::string::npos);
}

}  // namespace
}  // namespace strata::test
