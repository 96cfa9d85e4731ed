// SPDX-License-Identifier: Apache-2.0
// The tensors that operators read and write, from RecordFunction's inputs (needsInputs).
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <c10/util/FunctionRef.h>

namespace strata::torch_source {

// Whether the operator belongs to a forward: either autograd would record it, because one of its tensors
// requires a gradient and its result has one, unless it only inspects weights, as for a log; or it belongs to
// a layer and uses a weight, also of a frozen layer. Call where gradients are enabled.
bool begins_forward(const at::RecordFunction& function);

// Calls `take` for each tensor that its schema declares as written, also in lists.
void for_each_written(const at::RecordFunction& function, c10::function_ref<void(const at::Tensor&)> take);

// Calls `take` for each of its tensors, also in lists.
void for_each_input(const at::RecordFunction& function, c10::function_ref<void(const at::Tensor&)> take);

// Whether it only makes views of its tensors, without reading their values.
bool only_views(const at::RecordFunction& function);

}  // namespace strata::torch_source
