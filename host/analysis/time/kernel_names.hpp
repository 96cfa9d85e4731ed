// SPDX-License-Identifier: Apache-2.0
// Readable names of activities, and short ones that distinguish kernels.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/time_facts.hpp"
#include "host/analysis/facts/time_rows.hpp"

namespace strata::analysis {

// `text` is the recorded name. A kernel's is demangled; a copy is named by its direction.
std::string activity_name(const ActivityRow& activity, const std::string& text);

// Kernels with the same short name that differ only in template arguments get the arguments that another one
// does not have: "vectorized_elementwise_kernel<CUDAFunctor_add, float>". Names that cannot be distinguished
// by a word are numbered by position: "name #2".
void number_alike_names(std::vector<KernelTime>& kernels);

}  // namespace strata::analysis
