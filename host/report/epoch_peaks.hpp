// SPDX-License-Identifier: Apache-2.0
// epoch_peak_memory.csv: the peaks of each epoch, as written by training scripts that reset torch's peaks
// when an epoch begins and read them when it ends.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/steps/scopes.hpp"

namespace strata::report {

// With a header. `peak_memory_bytes` is torch.cuda.max_memory_allocated(); values that were not recorded are
// empty. Completely empty if no scope is an epoch.
std::string epoch_peaks(const std::vector<analysis::Scope>& scopes);

}  // namespace strata::report
