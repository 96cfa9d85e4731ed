// SPDX-License-Identifier: Apache-2.0
// Finds the owners of storages without the program's help: parameters and gradients where autograd
// accumulates these, state where an optimizer writes to memory that outlives its step. A Python program is
// asked for their names (python_owners.hpp), and for storages that take no part in training: frozen
// parameters, buffers, data. Storages without a name there, and all those of a C++ program, are numbered.
#pragma once

#include <ATen/record_function.h>

#include <string>

namespace strata::torch_source {

// [any] not [alloc-lock], on a thread that is about to call forward, without holding anything that Python may
// wait for. Until a model was found.
void name_before_forward();

// [any] not [alloc-lock]. Call when a node of a graph ends: if it accumulated a parameter's gradient, reports
// both.
void report_accumulated(const at::RecordFunction& node);

// [any] not [alloc-lock]. The same as `report_accumulated`, for a parameter that has its gradient.
void report_gradient(const at::Tensor& parameter);

// [any] Whether it was reported and is still at the same address.
bool is_told_gradient(const at::Tensor& gradient);

// [any] not [alloc-lock], in backward. If ranks exchange gradients through DDP, in its buckets, reports the
// buckets.
void report_buckets(const at::RecordFunction& function);

// [any] not [alloc-lock]. An operator writes, in an optimizer's step or where there may be one: remembers the
// tensors that it writes to.
void note_written(const at::RecordFunction& function);

// [any] Whether it was reported as a parameter or a gradient and is still at the same address.
bool is_parameter_or_gradient(const at::Tensor& tensor);
bool is_known_parameter(const at::Tensor& tensor);

// [any] An optimizer ran whose writes cannot be seen: the next `report_states` asks the program for its
// state. Applies to the first few such steps.
void look_for_states();

// [any] not [alloc-lock], without holding anything that Python may wait for. The optimizer's step has ended:
// reports the written tensors that are alive and are neither parameter nor gradient. Returns whether any of
// them was new.
bool report_states();

// [any] Whether the operator writes to a parameter known to autograd, or to its storage.
bool writes_to_parameter(const at::RecordFunction& function);

// [any] Why the program could not be asked for names; empty if it could, or need not be. Returned once.
std::string take_naming_problem();

// [any] The trainer found in the program, "transformers" or "lightning"; empty if it is unknown. Returned
// once.
std::string take_trainer();

// [loop-thread] Everything is reported again in another run.
void forget_owners();

}  // namespace strata::torch_source
