// SPDX-License-Identifier: Apache-2.0
// Exports all data of a run as one JSON object, described by run.schema.json.
#pragma once

#include "host/analysis/facts/forward.hpp"
#include "host/export/output.hpp"

namespace strata::exports {

inline constexpr const char* kRunSchema = "strata.run/1";

// Long lists are tables: `columns`, each with `name` and `unit`, and `rows` with that many values.
void write_json(const analysis::Facts& facts, Output& output, const Progress& progress = {});

}  // namespace strata::exports
