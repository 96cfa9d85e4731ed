// SPDX-License-Identifier: Apache-2.0
// A run as tables of comma-separated values (RFC 4180, lines end in a newline alone): for spreadsheets,
// pandas, and tables beside published ones.
#pragma once

#include "host/analysis/facts/forward.hpp"
#include "host/export/output.hpp"

namespace strata::exports {

enum class Table {
  kCategories,  // over the window: a row a statistic, a column a category, in bytes
  kTimeline,    // a row an event: bytes of each category after it
  kBlocks       // a row a block: when, how large, and what it was
};

void write_csv(const analysis::MemoryFacts& facts, Table table, Output& output,
               const Progress& progress = {});

}  // namespace strata::exports
