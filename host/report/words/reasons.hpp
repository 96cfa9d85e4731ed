// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/analysis/facts/reason.hpp"

namespace strata::report {

// The sentence of the rule that decided, as docs/categories.md has it; empty for kNone. Static.
std::string_view reason_text(analysis::Reason reason);

}  // namespace strata::report
