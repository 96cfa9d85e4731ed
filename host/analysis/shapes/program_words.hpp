// SPDX-License-Identifier: Apache-2.0
// Remedies name the keys of a configuration; of a program that has none they say what its author would write.
#pragma once

#include <string>
#include <string_view>

namespace strata::analysis {

// "checkpointing: block" is "torch.utils.checkpoint around each block". What has no key is as it was.
// `trainer`: "transformers" or "lightning", where its Trainer ran the steps: of the first it is
// "gradient_checkpointing=True"; or "libtorch", a program without Python.
std::string in_words_of_program(std::string remedy, std::string_view trainer);

}  // namespace strata::analysis
