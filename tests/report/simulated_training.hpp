// SPDX-License-Identifier: Apache-2.0
// The memory of a decoder-only transformer trained with AdamW, computed instead of recorded.
#pragma once

#include <cstdint>

#include "host/analysis/facts/facts.hpp"

namespace strata::report::testing {

struct SimulatedTraining {
  std::int64_t steps = 9;
  std::int64_t first_active_step = 3;
  std::uint64_t layers = 12, width = 768, vocabulary = 10000, batch = 4, context = 512;
};

// fp32: parameters; step 0 allocates the optimizer's state; in each step a forward ramp, logits and loss, a
// backward that turns activations into gradients, an optimizer with temporaries, and gradients freed.
analysis::Facts simulate(const SimulatedTraining& training);

}  // namespace strata::report::testing
