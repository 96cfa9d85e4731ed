// SPDX-License-Identifier: Apache-2.0
// The shape and dtype of a block's tensor in words.
#pragma once

#include <string>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// "4x512 float32", printable; empty if no tensor was registered in the block.
std::string form_text(const analysis::MemoryFacts& facts, const analysis::Block& block);

}  // namespace strata::report
