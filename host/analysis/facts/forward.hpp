// SPDX-License-Identifier: Apache-2.0
// Forward declarations of the parts of the facts.
#pragma once

namespace strata::analysis {

struct RunFacts;
struct ProgramFacts;
struct MemoryFacts;
struct TimingFacts;
struct CheckFacts;
struct Facts;

}  // namespace strata::analysis
