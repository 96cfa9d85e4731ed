// SPDX-License-Identifier: Apache-2.0
// Remedies name the keys of a configuration; of a program that has none they say what its author would write.
#pragma once

#include <string>

namespace strata::analysis {

// "checkpointing: block" is "torch.utils.checkpoint around each block". What has no key is as it was.
std::string in_words_of_pytorch(std::string remedy);

}  // namespace strata::analysis
