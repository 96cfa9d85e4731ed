// SPDX-License-Identifier: Apache-2.0
// Copies of a model's parameters in plain tensors: a checkpoint that is kept, a moving average, weights that
// a program clones. One that is there when training begins is a moving average once an operator averages into
// it. Any other operator that reads or writes a copy uses it.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <cstdint>

#include "sources/torch/training/python_owners.hpp"

namespace strata::torch_source {

// [any] While its storage is held. There when training begins.
void note_copy(const PythonOwner& copy);

// [any] Made by an operator: the copy of `parameter`.
void note_clone(const at::Tensor& copy, const at::Tensor& parameter);

// [any] not [alloc-lock]. An operator begins: reports the noted copies that it averages into as moving
// averages, and others that it uses as used. Views do not use one, nor do copies of it to parameters or to
// other devices.
void report_copy_use(const at::RecordFunction& function);

// [any] The number of copies noted so far.
std::uint64_t copies_noted();

// [any] From now on each new clone is reported as used, because not all operators are looked at any longer.
void take_new_clones_for_used();

// [loop-thread]
void forget_copies();

}  // namespace strata::torch_source
