// SPDX-License-Identifier: Apache-2.0
#include "host/report/dry.hpp"

#include <gtest/gtest.h>

namespace strata::report {
namespace {

TEST(Dry, SaysWhereTheSizesOfWorkspacesCameFrom) {
  EXPECT_EQ(workspaces_text({}), "");
  EXPECT_EQ(workspaces_text({.workspaces = {.unknown = 3, .asked = 53, .fitted = 1200, .bounded = 2}}),
            "; workspaces: 53 from cuDNN itself, 1,200 from formulas fitted on an H200, 2 from an upper "
            "bound, 3 unknown "
            "(taken as 0)");
  EXPECT_EQ(workspaces_text({.workspaces = {.fitted = 12}}),
            "; workspaces: 12 from formulas fitted on an H200");
}

TEST(Dry, SaysWhatASettingGaveForUnknownWorkspaces) {
  EXPECT_EQ(workspaces_text({.workspaces = {.unknown = 3}, .cudnn_workspace = "32MiB"}),
            "; workspaces: 3 unknown (cuDNN's taken as 32MiB, others as 0)");
  EXPECT_EQ(workspaces_text(
                {.workspaces = {.unknown = 3}, .cudnn_workspace = "32MiB", .cusolver_workspace = "1MiB"}),
            "; workspaces: 3 unknown (cuDNN's taken as 32MiB, cuSOLVER's taken as 1MiB, others as 0)");
}

TEST(Dry, NamesUnknownTimesBeforeWorkspaces) {
  EXPECT_EQ(unknowns_text({.times = 1, .workspaces = {.bounded = 1}}),
            ", 1 unknown time; workspaces: 1 from an upper bound");
}

TEST(Dry, SaysWhetherARealCardWasComparedWithTheProfile) {
  analysis::DryFact dry;
  dry.name = "NVIDIA H200";
  EXPECT_EQ(compared_text(dry), "; no real NVIDIA H200 has been compared with this profile");
  dry.compared = "2026-11-28";
  EXPECT_EQ(compared_text(dry),
            "; a real NVIDIA H200 was compared with this profile on 2026-11-28 (docs/parity.md)");
}

}  // namespace
}  // namespace strata::report
