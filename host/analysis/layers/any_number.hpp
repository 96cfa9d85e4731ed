// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace strata::analysis {

// A module's path or a parameter's name with "*" for each part that is a number, so that "layers.3.attn" of
// one run and of another with more layers are counted together.
std::string with_any_number(std::string_view path);

}  // namespace strata::analysis
