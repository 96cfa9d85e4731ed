// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/shapes/program_words.hpp"

#include <gtest/gtest.h>

namespace strata::analysis {
namespace {

TEST(ProgramWords, StandForKeys) {
  EXPECT_EQ(in_words_of_pytorch("checkpointed blocks (checkpointing: block)"),
            "checkpointed blocks (torch.utils.checkpoint around each block)");
  EXPECT_EQ(
      in_words_of_pytorch("optimizer.impl: fused needs none of the 3 MiB, optimizer.impl: loop those of one"),
      "fused=True needs none of the 3 MiB, foreach=False those of one");
  EXPECT_EQ(in_words_of_pytorch("a head of its own weights (model.tied: false) adds nothing"),
            "a head of its own weights adds nothing");
  EXPECT_EQ(in_words_of_pytorch("gradients cleared (zero_grad: {at: step_start, set_to_none: true})"),
            "gradients cleared (optimizer.zero_grad() at the step's begin)");
}

TEST(ProgramWords, LeaveTheRest) {
  for (const char* const remedy :
       {"", "a smaller vocabulary", "PYTORCH_ALLOC_CONF=expandable_segments:True, which grows a segment"})
    EXPECT_EQ(in_words_of_pytorch(remedy), remedy);
}

}  // namespace
}  // namespace strata::analysis
