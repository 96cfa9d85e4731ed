// SPDX-License-Identifier: Apache-2.0
// Facts of a few blocks that are alive when an allocation fails, and the remedies that are found for it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/analysis/peak/remedies.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {

class RemediesTest : public ::testing::Test {
 protected:
  RemediesTest() {
    facts_.texts = {""};
    failure_.requested_bytes = 100;
    failure_.device_free_bytes = 40;
    failure_.held.sequence = 50;
    phase(STRATA_PHASE_FORWARD, 5, 9);
  }

  void phase(std::uint32_t kind, std::uint64_t begin_sequence, std::uint64_t end_sequence) {
    PhaseFact& added = facts_.phases.emplace_back();
    added.kind = kind;
    added.begin_sequence = begin_sequence;
    added.end_sequence = end_sequence;
  }

  std::uint32_t text(const std::string& value) {
    facts_.texts.push_back(value);
    return static_cast<std::uint32_t>(facts_.texts.size() - 1);
  }

  Block& alive(std::uint64_t bytes, Category category, std::string_view kind, const std::string& layer = {}) {
    Block block;
    block.bytes = bytes;
    block.birth_sequence = 10;
    block.category = category;
    block.kind = kind;
    block.layer = layer.empty() ? 0 : text(layer);
    failure_.held.categories[static_cast<std::size_t>(category)] += bytes;
    failure_.held.allocated_bytes += bytes;
    failure_.held.reserved_bytes += bytes;
    facts_.blocks.push_back(block);
    return facts_.blocks.back();
  }

  const Remedy* find(std::string_view word) {
    remedies_ = find_remedies(facts_, failure_);
    return first_of(word);
  }

  // Several together have a + in theirs.
  const Remedy* first_of(std::string_view word) const {
    const auto found = std::ranges::find_if(remedies_, [&](const Remedy& remedy) {
      const std::string& change = remedy.change;
      return change.find(word) != change.npos &&
             (change.find('+') != change.npos) == (word.find('+') != word.npos);
    });
    return found == remedies_.end() ? nullptr : &*found;
  }

  Facts facts_;
  OutOfMemory failure_;
  std::vector<Remedy> remedies_;
};

}  // namespace strata::analysis
