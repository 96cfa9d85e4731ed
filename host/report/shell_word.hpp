// SPDX-License-Identifier: Apache-2.0
// Quotes words of a command line for sh.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata::report {

// The word as sh reads it, in quotes if necessary.
std::string shell_word(std::string_view word);
std::string shell_line(const std::vector<std::string>& words);

}  // namespace strata::report
