// SPDX-License-Identifier: Apache-2.0
// Gradients that autograd does not accumulate: the program assigns them, as one whose optimizer runs on the
// CPU for parameters on a device does (`master.grad = parameter.grad.to("cpu")`).
#pragma once

#include <ATen/core/Tensor.h>

namespace strata::torch_source {

// [any] with what Python holds held by the caller. An optimizer trains it, and may find any gradient at it.
void note_optimized(c10::TensorImpl* parameter);

// [any] not [alloc-lock], with nothing held that Python may wait for. Where an optimizer's step begins: tells
// of the gradients that are new. Of parameters that had none assigned in the first steps no more is asked.
void report_assigned_gradients();

// [loop-thread]
void forget_assigned_gradients();

}  // namespace strata::torch_source
