// SPDX-License-Identifier: Apache-2.0
// Readers of a store: each reads the tables of one concern into the facts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/analysis/facts/call_stacks.hpp"
#include "host/analysis/reading/store_file.hpp"
#include "host/analysis/reading/table_reader.hpp"

namespace strata::analysis {

struct Recording;

// Reads CallStacks from the stack tables of a run store.
// `text` returns the text of a column with a string id. Invalid rows are skipped, with one call of `warn` per
// kind.
CallStacks read_call_stacks(const StoreFile& file,
                            const std::function<std::string(const Row&, int column)>& text,
                            const std::function<void(const std::string&)>& warn);

// Reads the sample tables written by the torch source, and the host's epochs.
// Fills the run's samples, DeviceStats and epochs. Its device and segments must be known. A missing table
// counts as empty, because samples are optional. Throws RunError for impossible values.
void read_samples(const StoreFile& file, TableReader& tables, Recording& run);

// Reads the structure of a run: steps, phases and module ranges, each begin with its end.
// Fills run.steps, run.phases and run.modules. Throws RunError if steps are out of order or something ends
// before it begins.
void read_structure(TableReader& tables, Recording& run);

// Reads the tables of the plugin cupti_timeline.
// Fills run.time. Contradictory rows (a repeated ordinal, an end before its begin) are skipped and counted in
// the warnings. Throws RunError for impossible values.
void read_time(const StoreFile& file, TableReader& tables, Recording& run);

// Reads the rows of the plugin warmup_analyzer into run.warm_up. Throws RunError for an invalid time.
void read_warm_up(TableReader& tables, const StoreFile& file, Recording& run);

}  // namespace strata::analysis
