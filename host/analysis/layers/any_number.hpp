// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace strata::analysis {

// The path of a module or the name of a parameter with each numeric part replaced by "*", so that
// "layers.3.attn" is counted together across runs with different numbers of layers.
std::string with_any_number(std::string_view path);

}  // namespace strata::analysis
