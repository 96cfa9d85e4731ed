// SPDX-License-Identifier: Apache-2.0
// All that is known of a run as one JSON object, which run.schema.json describes.
#pragma once

#include "host/analysis/facts/forward.hpp"
#include "host/export/output.hpp"

namespace strata::exports {

inline constexpr const char* kRunSchema = "strata.run/1";

// What is long comes as tables: `columns`, each with `name` and `unit`, and `rows` of as many values.
void write_json(const analysis::Facts& facts, Output& output, const Progress& progress = {});

}  // namespace strata::exports
