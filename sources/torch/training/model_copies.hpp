// SPDX-License-Identifier: Apache-2.0
// Copies of a model's parameters that lie in plain tensors when training begins: a checkpoint that is kept,
// or a moving average. A copy is a moving average once an operator averages into it.
#pragma once

#include <ATen/record_function.h>

#include "sources/torch/training/python_owners.hpp"

namespace strata::torch_source {

// [any] While its storage is held.
void note_copy(const PythonOwner& copy);

// [any] not [alloc-lock]. An operator outside of backward begins: reports the noted copies that it averages
// into as moving averages.
void report_averaged(const at::RecordFunction& function);

// [loop-thread]
void forget_copies();

}  // namespace strata::torch_source
