// SPDX-License-Identifier: Apache-2.0
// Short names of kernels that tell them apart.
#pragma once

#include <vector>

#include "host/analysis/facts/time_facts.hpp"

namespace strata::analysis {

// Of kernels with one short name, whose template arguments alone differ, each gets what it has and another
// lacks: "vectorized_elementwise_kernel<CUDAFunctor_add, float>". What no word tells apart is numbered, by
// its place in the list: "name #2".
void number_alike_names(std::vector<KernelTime>& kernels);

}  // namespace strata::analysis
