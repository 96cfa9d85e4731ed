// SPDX-License-Identifier: Apache-2.0
// What a program holds on to and need not: results in variables and lists, and graphs that no backward goes
// through. A training of ours holds none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts.hpp"
#include "host/analysis/peak/savings.hpp"

namespace strata::analysis {

// As in_words_of_program() knows it.
inline constexpr const char* kOutputsToHost = "outputs to the host as they come (.cpu())";

struct HeldByProgram {
  Saving saving{};
  std::string change, reason;  // as in Remedy
};

// At `sequence`, which is in the part of a step `part`; null outside of any. `went_on`: the run, beyond it.
std::vector<HeldByProgram> held_by_program(const Facts& facts, const Savings& savings, std::uint64_t sequence,
                                           const PhaseFact* part, bool went_on);

}  // namespace strata::analysis
