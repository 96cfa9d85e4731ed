// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/shapes/program_words.hpp"

#include <gtest/gtest.h>

namespace strata::analysis {
namespace {

TEST(ProgramWords, StandForKeys) {
  EXPECT_EQ(in_words_of_program("checkpointed blocks (checkpointing: block)", ""),
            "checkpointed blocks (torch.utils.checkpoint around each block)");
  EXPECT_EQ(
      in_words_of_program("optimizer.impl: fused makes none of these, optimizer.impl: loop those of one", ""),
      "fused=True makes none of these, foreach=False those of one");
  EXPECT_EQ(in_words_of_program("a head of its own weights (model.tied: false) adds nothing", ""),
            "a head of its own weights adds nothing");
}

TEST(ProgramWords, AreThoseOfTheTrainerThatThereIs) {
  EXPECT_EQ(
      in_words_of_program("checkpointed blocks (checkpointing: block)", "transformers"),
      "checkpointed blocks (activation_checkpointing=True, in older releases gradient_checkpointing=True)");
  EXPECT_EQ(in_words_of_program("8-bit moments (optimizer.name: adam8bit)", "transformers"),
            "8-bit moments (optim=\"adamw_bnb_8bit\")");
  EXPECT_EQ(in_words_of_program("optimizer.impl: loop", "transformers"), "foreach=False") << "it has no name";
  EXPECT_EQ(in_words_of_program("checkpointing: block", "another"),
            "torch.utils.checkpoint around each block");
}

TEST(ProgramWords, LightningsTrainerHasNamesOfItsOwn) {
  EXPECT_EQ(in_words_of_program("half the batch (data.batch_size, accumulation)", "lightning"),
            "half the batch (the loader's batch_size halved, accumulate_grad_batches doubled)");
  EXPECT_EQ(in_words_of_program("16-bit weights (precision: bf16)", "lightning"),
            "16-bit weights (Trainer(precision=\"bf16-true\"))");
  EXPECT_EQ(in_words_of_program("optimizer.impl: fused", "lightning"), "fused=True") << "it has no name";
}

TEST(ProgramWords, OfAProgramInCppAreThoseOfLibTorch) {
  EXPECT_EQ(in_words_of_program("torch.no_grad() or mode: forward", "libtorch"),
            "a torch::NoGradGuard or a torch::NoGradGuard");
  EXPECT_EQ(in_words_of_program("8-bit moments (optimizer.name: adam8bit)", "libtorch"),
            "8-bit moments (an optimizer of your own)");
  EXPECT_EQ(in_words_of_program("gradients cleared (zero_grad: {at: step_start})", "libtorch"),
            "gradients cleared (optimizer.zero_grad() at the step's begin)");
}

TEST(ProgramWords, LeaveTheRest) {
  for (const char* const remedy :
       {"", "a smaller vocabulary", "PYTORCH_ALLOC_CONF=expandable_segments:True, which grows a segment"})
    EXPECT_EQ(in_words_of_program(remedy, ""), remedy);
}

}  // namespace
}  // namespace strata::analysis
