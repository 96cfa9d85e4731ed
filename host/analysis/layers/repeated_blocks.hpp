// SPDX-License-Identifier: Apache-2.0
// The repeated blocks of a model, which are units of checkpointing: a decoder layer, or one block of one
// stage.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace strata::analysis {

struct MemoryFacts;

// For each text that is the module or parameter of a memory block: the length of its prefix that names the
// repeated block, "layers.3" in "layers.3.attn"; 0 if there is none. By text.
//
// A module's children with numbers in their names repeat if two of them have parameters with the same names
// and sizes. The outermost such children are the blocks, so a stage with its own width ("stages.2") is not
// one, and neither is an expert of a layer. Names that end in a number ("encoder_layer_3") count if three are
// identical. If none repeats, the first number names the block.
std::vector<std::uint32_t> repeated_block_lengths(const MemoryFacts& facts);

// The prefix of a module's or parameter's path that names its repeated block; empty if there is none. Uses
// Facts::repeated_block_lengths, and the first number for texts not contained there. Points into the text.
std::string_view repeated_block(const MemoryFacts& facts, std::uint32_t text);

// The common prefix of a block's siblings: "layers." for "layers.3".
std::string_view stem_of_siblings(std::string_view block);

}  // namespace strata::analysis
