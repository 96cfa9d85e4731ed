// SPDX-License-Identifier: Apache-2.0
// Whether steps reveal the relation of clocks: a rank whose host waits until all gradients are averaged
// cannot continue before the others have begun the backward that produces theirs.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/ranks/rank_facts.hpp"

namespace strata::analysis {

enum class Averaging : std::uint8_t {
  kOnHosts,    // all ranks average with all others, and each host waits for it
  kOnDevices,  // hosts start it on their devices and continue at once
  kNotShown    // not all ranks average with all: stages of a pipeline, or ranks of a dry job
};

// On the CPU, DistributedDataParallel's backward ends when all its buckets are averaged, because the host
// waits for gloo. Stores do not record with which ranks. So all ranks of the job are assumed only if every
// rank is present, all have buckets of the same sizes, and the same operators made blocks in their backwards.
// In a pipeline only the last stage has the loss, so at least one stage differs.
Averaging averaging_of(const std::vector<RankFacts>& ranks);

}  // namespace strata::analysis
