// SPDX-License-Identifier: Apache-2.0
// Writes run directories, with tables and views, as docs/run-store.md describes them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "host/analysis/recording/recording.hpp"

struct sqlite3;

namespace strata::analysis::testing {

// Writes `run` as <directory>/rank<rank>/<pid>.sqlite and returns that path.
std::filesystem::path write_store(const std::filesystem::path& directory, const Recording& run, int rank = 0,
                                  int pid = 7);

// Runs SQL on a store in order to damage it.
void run_sql(const std::filesystem::path& store, const std::string& sql);

}  // namespace strata::analysis::testing
