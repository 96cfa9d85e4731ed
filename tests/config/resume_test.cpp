// SPDX-License-Identifier: Apache-2.0
// Which checkpoint `resume` selects, and which runs can be resumed from it.
#include "host/config/checks/resume.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "host/config/files/checkpoint_files.hpp"
#include "host/config/loading/load.hpp"
#include "host/config/schema/schema.hpp"
#include "tests/config/problems_of.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

const std::string kSmall = "model: {size: small}\n";

std::vector<std::string> differences(const std::string& saved, const std::string& here) {
  std::vector<std::string> texts;
  const auto saved_yaml = config::parse_config(saved, "/runs/t.yaml").resolved_yaml;
  for (const config::Difference& difference :
       config::what_forbids_resuming(saved_yaml, config::parse_config(here, "/runs/t.yaml")))
    texts.push_back(difference.key + ": " + difference.saved + ", " + difference.here);
  return texts;
}

TEST(CheckpointFiles, AreNamedByTheirSteps) {
  const TemporaryFolder folder;
  EXPECT_EQ(config::checkpoint_name(12), "step_12.pt");
  for (const char* const name : {"step_9.pt", "step_12.pt", "step_100.pt.part", "step_.pt", "step_-1.pt",
                                 "step_1x.pt", "step_99999999999999999999.pt", "other.pt"})
    folder.write(name, "");
  const auto found = config::checkpoints_in(folder.path());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found.begin()->second, folder.path() / "step_9.pt");
  EXPECT_EQ(config::newest_checkpoint(folder.path()), folder.path() / "step_12.pt");
  EXPECT_TRUE(config::checkpoints_in(folder.path() / "missing").empty());
}

TEST(Resume, TakesAFileOrTheNewestOfAFolder) {
  const TemporaryFolder folder;
  const auto newest = folder.write("run/checkpoints/step_12.pt", "");
  const auto older = folder.write("run/checkpoints/step_9.pt", "");
  const auto resumed = [&](const std::string& path) {
    return config::parse_config(kSmall + "resume: " + path + "\n", folder.path() / "t.yaml").resume;
  };
  EXPECT_EQ(resumed("run"), newest);
  EXPECT_EQ(resumed("run/checkpoints"), newest);
  EXPECT_EQ(resumed("run/checkpoints/step_9.pt"), older);
  EXPECT_TRUE(config::parse_config(kSmall, "t.yaml").resume.empty());
}

TEST(Resume, SaysWhereThereIsNone) {
  const TemporaryFolder folder;
  const std::string place = folder.path().string();
  EXPECT_EQ(problems_of(kSmall + "resume: " + place + "\n"),
            std::vector<std::string>{"t.yaml:2:9: resume: expected a checkpoint, or the folder of a run with "
                                     "checkpoints, found no step_<n>.pt in '" +
                                     place + "' or in its folder checkpoints"});
  EXPECT_EQ(problems_of(kSmall + "resume: " + place + "/none.pt\n"),
            std::vector<std::string>{"t.yaml:2:9: resume: cannot read '" + place +
                                     "/none.pt': No such file or directory"});
}

TEST(Resume, IsForbiddenByWhatShapesTheState) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(differences(kSmall, kSmall), Texts{});
  EXPECT_EQ(differences(kSmall, "model: {size: small, layers: 3}\nprecision: bf16\n"),
            (Texts{"model.layers: 12, 3", "precision: fp32, bf16"}));
  EXPECT_EQ(differences(kSmall + "optimizer: {name: galore_adamw, rank: 8}\n",
                        kSmall + "optimizer: {name: galore_adamw, rank: 4, keep_factor: false}\n"),
            (Texts{"optimizer.rank: 8, 4", "optimizer.keep_factor: true, false"}));
  EXPECT_EQ(
      differences(kSmall + "optimizer: {name: sgd}\n", kSmall + "optimizer: {name: sgd, momentum: 0.9}\n"),
      Texts{"optimizer.momentum: 0.0, 0.9"});
  EXPECT_EQ(differences(kSmall, kSmall + "optimizer: {name: adafactor}\n"),
            Texts{"optimizer.name: adamw, adafactor"})
      << "and not by the keys that only one of them has";
}

TEST(Resume, IsNotForbiddenByAnythingElse) {
  EXPECT_EQ(
      differences(kSmall, kSmall + "optimizer: {lr: 0.5, weight_decay: 0.0, lr_schedule: cosine}\nseed: 4\n"
                                   "schedule: {active: 90}\ndata: {batch_size: 9}\ndevice: cuda:1\n"
                                   "attention: sdpa\ncheckpointing: block\naccumulation: 2\nname: other\n"),
      std::vector<std::string>{});
}

}  // namespace
}  // namespace strata::test
