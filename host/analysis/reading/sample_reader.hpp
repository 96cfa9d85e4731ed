// SPDX-License-Identifier: Apache-2.0
// The tables of samples that the torch source writes into a run store, and the host's of epochs.
#pragma once

#include "host/analysis/reading/table_reader.hpp"

namespace strata::analysis {

struct Recording;

// Fills the run's samples, DeviceStats and epochs. Its device is settled, and so are its segments. A table
// that is missing is an empty one: samples are an option. Throws RunError for values that no run can have.
void read_samples(const StoreFile& file, TableReader& tables, Recording& run);

}  // namespace strata::analysis
