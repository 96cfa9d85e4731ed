// SPDX-License-Identifier: Apache-2.0
// Exports a run as comma-separated tables (RFC 4180, but lines end in a newline only): for spreadsheets,
// pandas, and comparison with published tables.
#pragma once

#include "host/analysis/facts/forward.hpp"
#include "host/export/output.hpp"

namespace strata::exports {

enum class Table {
  kCategories,  // over the window: one row per statistic, one column per category, in bytes
  kTimeline,    // one row per event: bytes of each category after it
  kBlocks       // one row per block: time, size and labels
};

void write_csv(const analysis::MemoryFacts& facts, Table table, Output& output,
               const Progress& progress = {});

}  // namespace strata::exports
