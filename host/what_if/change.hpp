// SPDX-License-Identifier: Apache-2.0
// A change of a training: what it is called, and what somebody writes to make it.
#pragma once

#include <string>
#include <vector>

namespace strata::what_if {

enum class Effect {
  kSameMathematics,  // the same training, but for the order of sums
  kOtherMathematics  // another number format, or another optimizer
};

struct Change {
  std::string name;                         // "a fused optimizer"
  std::vector<std::string> overrides = {};  // of a configuration: "key.path=value"
  std::string allocator_settings = {};      // of PYTORCH_CUDA_ALLOC_CONF; empty: as they are
  std::string write = {};                   // of a program: the line that makes it, in its framework's words
  std::string cost;                         // what it is known to cost, in a few words
  Effect effect = Effect::kSameMathematics;
  std::string group;         // of one group one can be in force at a time
  std::string problem = {};  // why it is not worth a trial; empty: it is
};

}  // namespace strata::what_if
