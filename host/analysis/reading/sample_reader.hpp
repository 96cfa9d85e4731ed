// SPDX-License-Identifier: Apache-2.0
// Reads the sample tables written by the torch source, and the host's epochs.
#pragma once

#include "host/analysis/reading/table_reader.hpp"

namespace strata::analysis {

struct Recording;

// Fills the run's samples, DeviceStats and epochs. Its device and segments must be known. A missing table
// counts as empty, because samples are optional. Throws RunError for impossible values.
void read_samples(const StoreFile& file, TableReader& tables, Recording& run);

}  // namespace strata::analysis
