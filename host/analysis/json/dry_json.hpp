// SPDX-License-Identifier: Apache-2.0
// What a dry run owns up to, as summary.json, the manifest and an account have it: `dry` in
// summary.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/dry_fact.hpp"

namespace strata::analysis {

nlohmann::ordered_json to_json(const DryFact& dry);

}  // namespace strata::analysis
