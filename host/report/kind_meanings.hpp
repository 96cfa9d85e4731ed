// SPDX-License-Identifier: Apache-2.0
// Explanations of memory kinds with unclear names (docs/categories.md has all).
#pragma once

#include <set>
#include <string>

#include "host/analysis/facts/block_kind.hpp"
#include "host/analysis/facts/category.hpp"

namespace strata::report {

// "Activation saved"; "Gradient" for Gradient and gradient: only the category if its kind adds nothing.
std::string kind_label(analysis::Category category, analysis::BlockKind kind);

// "saved: kept in forward for backward; flowing: ..."; empty if all names are clear.
std::string kind_meanings(const std::set<analysis::BlockKind>& kinds);

}  // namespace strata::report
