// SPDX-License-Identifier: Apache-2.0
// A change to a training: its name, and how to make it.
#pragma once

#include <string>
#include <vector>

namespace strata::what_if {

enum class Effect {
  kSameMathematics,  // the same training except for the order of sums
  kOtherMathematics  // another number format, or another optimizer
};

struct Change {
  std::string name;                         // "a fused optimizer"
  std::vector<std::string> overrides = {};  // for a configuration: "key.path=value"
  std::string allocator_settings = {};      // for PYTORCH_CUDA_ALLOC_CONF; empty: unchanged
  std::string write = {};                   // for a program: the line to write, for its framework
  std::string cost;                         // its known disadvantage, in a few words
  Effect effect = Effect::kSameMathematics;
  std::string group;         // only one change of a group can be active at a time
  std::string problem = {};  // why it is not worth a trial; empty: it is
};

}  // namespace strata::what_if
