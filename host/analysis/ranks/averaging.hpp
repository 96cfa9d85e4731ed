// SPDX-License-Identifier: Apache-2.0
// Whether steps tell anything of clocks: a rank whose host waits until the gradients of all are averaged
// cannot go on before the others have begun the backward that they come of.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/ranks/rank_facts.hpp"

namespace strata::analysis {

enum class Averaging : std::uint8_t {
  kOnHosts,    // all ranks average with all others, and each one's host waits for that
  kOnDevices,  // hosts ask their devices for it, and go on at once
  kNotShown    // that all average with all: a pipeline's stages do not, nor do ranks of a dry job
};

// On the CPU, DistributedDataParallel's backward ends when all its buckets are averaged: gloo's work is
// waited for on the host. With whom, no store says; so it is taken to be all of the job only where every rank
// of it is here, all have buckets of the same sizes, and the same operators made blocks in their backwards.
// The last stage of a pipeline alone has the loss, so that one stage at least differs.
Averaging averaging_of(const std::vector<RankFacts>& ranks);

}  // namespace strata::analysis
