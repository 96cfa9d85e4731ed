// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/analysis/facts/finding.hpp"

namespace strata::report {

// The sentence of a finding.
std::string finding_text(const analysis::Finding& finding);

// "aten::index_select in 0"; "a forward" if no operator was recorded.
std::string maker_words(const analysis::Maker& maker);

// "forwards of teacher"; "forwards that no backward follows" if the module is unknown.
std::string forwards_words(std::string_view module);

}  // namespace strata::report
