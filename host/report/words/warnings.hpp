// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/warning.hpp"

namespace strata::report {

// The sentence of a limit of the recording. Of a reader's text it is that text, which is untrusted.
std::string warning_text(const analysis::Warning& warning);

std::vector<std::string> warning_texts(const std::vector<analysis::Warning>& warnings);

}  // namespace strata::report
