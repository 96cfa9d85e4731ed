// SPDX-License-Identifier: Apache-2.0
// Where no remedy is enough by itself: which two, or three, are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/peak/saving_set.hpp"

namespace strata::analysis {

// Whether or not it gains anything at the peak: beside another it may.
struct AskedAbout {
  Saving saving;
  std::uint64_t bytes = 0;          // at the moment that lacks room
  std::uint64_t missing_bytes = 0;  // then; fewer than of others where it asks for less
  std::string change;
};

struct Lack {
  const Savings& savings;  // of the moment that lacks room
  std::uint64_t missing_bytes = 0;
  std::uint64_t to_come_bytes = 0;  // of blocks that a forward had not come to
  std::uint64_t peak_bytes = 0;     // of a run that went on; 0 of one that was cut short
};

struct EnoughTogether {
  SavingSet set;
  std::uint64_t bytes = 0;   // that they do without
  std::optional<Left> left;  // of a run that went on, its highest moment then
};

// Two before three; of several those that train as before with a twentieth of room, and then those that leave
// the most. Nothing is known of memory that two of
// them share, nor of 16 bits and of half an evaluation in a run that was cut short.
std::optional<EnoughTogether> enough_together(const Facts& facts, const std::vector<AskedAbout>& asked,
                                              const Lack& lack);

}  // namespace strata::analysis
