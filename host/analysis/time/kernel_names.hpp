// SPDX-License-Identifier: Apache-2.0
// Short names that distinguish kernels.
#pragma once

#include <vector>

#include "host/analysis/facts/time_facts.hpp"

namespace strata::analysis {

// Kernels with the same short name that differ only in template arguments get the arguments that another one
// does not have: "vectorized_elementwise_kernel<CUDAFunctor_add, float>". Names that cannot be distinguished
// by a word are numbered by position: "name #2".
void number_alike_names(std::vector<KernelTime>& kernels);

}  // namespace strata::analysis
