// SPDX-License-Identifier: Apache-2.0
// Gradients that the program assigns and autograd does not accumulate, as in a program whose optimizer runs
// on the CPU for parameters on a device (`master.grad = parameter.grad.to("cpu")`).
#pragma once

#include <ATen/core/Tensor.h>

namespace strata::torch_source {

// [any] Caller holds Python's objects. An optimizer trains `parameter`, and may find any gradient in it.
void note_optimized(c10::TensorImpl* parameter);

// [any] not [alloc-lock], without holding anything that Python may wait for. Called when an optimizer's step
// begins: reports the new gradients. Parameters without an assigned gradient in the first steps are no longer
// checked.
void report_assigned_gradients();

// [loop-thread]
void forget_assigned_gradients();

}  // namespace strata::torch_source
