// SPDX-License-Identifier: Apache-2.0
// The parts of the facts by name, for whoever only hands them on.
#pragma once

namespace strata::analysis {

struct RunFacts;
struct ProgramFacts;
struct MemoryFacts;
struct TimingFacts;
struct CheckFacts;
struct Facts;

}  // namespace strata::analysis
