// SPDX-License-Identifier: Apache-2.0
// What the kinds of memory are whose names do not say it (docs/categories.md has all).
#pragma once

#include <set>
#include <string>

#include "host/analysis/facts/block_kind.hpp"
#include "host/analysis/facts/category.hpp"

namespace strata::report {

// "Activation saved", and "Gradient" of Gradient and gradient: a category once, where its kind says no more.
std::string kind_label(analysis::Category category, analysis::BlockKind kind);

// "saved: kept in forward for backward; flowing: ..."; nothing where all of them say it themselves.
std::string kind_meanings(const std::set<analysis::BlockKind>& kinds);

}  // namespace strata::report
