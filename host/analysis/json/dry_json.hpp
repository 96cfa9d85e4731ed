// SPDX-License-Identifier: Apache-2.0
// The limits of a dry run, as in summary.json, the manifest and an account: `dry` in summary.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/dry_fact.hpp"

namespace strata::analysis {

nlohmann::ordered_json to_json(const DryFact& dry);

}  // namespace strata::analysis
