// SPDX-License-Identifier: Apache-2.0
// What an encoder gives, which each layer of a decoder takes: its attention's keys and values are products of
// it, not of what was normalized before them.
#pragma once

#include <vector>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

// By block, how many products of other layers take it; 0 of what none does, or where encoder and decoder are
// as long as each other, and nobody can tell.
std::vector<int> takers_across(const Facts& facts);

}  // namespace strata::analysis
