// SPDX-License-Identifier: Apache-2.0
// Who owns what, without the program's help: parameters and gradients where autograd accumulates these, state
// where an optimizer writes to what lives on after its step. Where the program is Python's it is asked for
// their names (python_owners.hpp), and for what neither trains nor is trained: frozen parameters, buffers,
// data. What has no name there, and all of a program in C++, is numbered.
#pragma once

#include <ATen/record_function.h>

#include <string>

namespace strata::torch_source {

// [any] not [alloc-lock], on a thread that is about to call forward, with nothing held that Python may wait
// for. Until a model was found.
void name_before_forward();

// [any] not [alloc-lock]. Where a node of a graph ends: when it accumulated a parameter's gradient, tells of
// both.
void report_accumulated(const at::RecordFunction& node);

// [any] not [alloc-lock]. What `report_accumulated` does, of a parameter that has its gradient.
void report_gradient(const at::Tensor& parameter);

// [any] Whether it was told of, and lives where it did then.
bool is_told_gradient(const at::Tensor& gradient);

// [any] not [alloc-lock], in backward. Ranks exchange gradients: when DDP does, in its buckets, tells of
// these.
void report_buckets(const at::RecordFunction& function);

// [any] not [alloc-lock]. An operator writes, in an optimizer's step or where one may be: what it writes to
// is held in mind.
void note_written(const at::RecordFunction& function);

// [any] An optimizer ran whose writes are not seen: the next `report_states` asks the program for its state.
// Of the first few such steps.
void look_for_states();

// [any] not [alloc-lock], with nothing held that Python may wait for. The optimizer's step has ended: of what
// was written, tells of what is alive and is neither parameter nor gradient. Whether any of it was new.
bool report_states();

// [any] Whether the operator writes to a parameter: to one that autograd knows, or to its storage.
bool writes_to_parameter(const at::RecordFunction& function);

// [any] Why the program could not be asked for names; empty: it could, or was not to be. Given once.
std::string take_naming_problem();

// [any] Whose trainer the program was seen to have, "transformers" or "lightning"; empty: none that is known.
// Given once.
std::string take_trainer();

// [loop-thread] In another run all is told anew.
void forget_owners();

}  // namespace strata::torch_source
