// SPDX-License-Identifier: Apache-2.0
// Settings that change how much memory a training needs, and leave the model alone.
#pragma once

#include <string>
#include <vector>

#include "host/config/run_config.hpp"

namespace strata::fit {

enum class Effect {
  kSameMathematics,  // the same training, but for the order of sums
  kOtherMathematics  // another number format, or another optimizer
};

// One change of a configuration.
struct Switch {
  std::string name;                     // "a fused optimizer"
  std::vector<std::string> overrides;   // "key.path=value"
  std::string allocator_settings = {};  // of PYTORCH_CUDA_ALLOC_CONF; empty: as they are
  std::string cost;                     // what it is known to cost, in a few words
  Effect effect = Effect::kSameMathematics;
  std::string group;  // of one group one can be in force at a time
};

// Those that would change `config`, whose device is a CUDA one; the first of a group is the least of it.
// Which of them the configuration takes is for the loader to say.
std::vector<Switch> switches_of(const config::RunConfig& config);

}  // namespace strata::fit
