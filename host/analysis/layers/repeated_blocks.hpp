// SPDX-License-Identifier: Apache-2.0
// The blocks that a model repeats, as they are checkpointed: a decoder layer, one block of one stage.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace strata::analysis {

struct MemoryFacts;

// Of each text that a memory block has for its module or its parameter, how long the part of it is that
// names the repeated block: "layers.3" of "layers.3.attn"; 0 of none. By text.
//
// A module's children with numbers in their names repeat where two of them have parameters of the same names
// and sizes; the outermost that do are the blocks, so that a stage of its own width ("stages.2") is none,
// and an expert of a layer neither. Names that end in a number ("encoder_layer_3") count where three are
// alike. Where none repeats, a block is what the first number names.
std::vector<std::uint32_t> repeated_block_lengths(const MemoryFacts& facts);

// The module's, or the parameter's, path up to the repeated block that it lies in; empty of none. By
// Facts::repeated_block_lengths, and of texts that it does not have by their first number. Points into the
// text.
std::string_view repeated_block(const MemoryFacts& facts, std::uint32_t text);

// What the paths of a block's siblings begin with: "layers." of "layers.3".
std::string_view stem_of_siblings(std::string_view block);

}  // namespace strata::analysis
