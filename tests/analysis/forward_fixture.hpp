// SPDX-License-Identifier: Apache-2.0
// A forward's blocks for a test, in the order in which they are allocated; backward will read them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/analysis/facts/facts.hpp"

namespace strata::analysis {

class ForwardTest : public ::testing::Test {
 protected:
  ForwardTest() { facts_.texts = {""}; }

  std::uint32_t text(std::string_view value) {
    const auto known = std::ranges::find(facts_.texts, value);
    if (known != facts_.texts.end()) return static_cast<std::uint32_t>(known - facts_.texts.begin());
    facts_.texts.emplace_back(value);
    return static_cast<std::uint32_t>(facts_.texts.size() - 1);
  }

  // Returns its index.
  std::size_t made(std::string_view op, std::uint64_t bytes, std::string_view layer = "layers.0") {
    Block block;
    block.bytes = bytes;
    block.birth_sequence = facts_.blocks.size();
    block.category = Category::kActivation;
    block.kind = BlockKind::kSaved;
    block.op = text(op);
    block.layer = text(layer);
    facts_.blocks.push_back(block);
    return facts_.blocks.size() - 1;
  }

  Facts facts_;
};

}  // namespace strata::analysis
