// SPDX-License-Identifier: Apache-2.0
// What operators read and write, of RecordFunction's inputs (needsInputs).
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <c10/util/FunctionRef.h>

namespace strata::torch_source {

// Whether a forward is under way: autograd would record it, for one of its tensors requires a gradient and
// what it makes has one, unless it only looks at weights, as for a log; or it is a layer's, with a weight,
// that of a frozen layer too. Asked where gradients are on.
bool begins_forward(const at::RecordFunction& function);

// Calls `take` for each tensor that its schema says it writes to, also those of lists.
void for_each_written(const at::RecordFunction& function, c10::function_ref<void(const at::Tensor&)> take);

}  // namespace strata::torch_source
