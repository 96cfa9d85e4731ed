// SPDX-License-Identifier: Apache-2.0
// The gradients that a backward produces. Observing the nodes of a graph makes torch several times slower at
// calling them, so nodes are observed only until it is known what they do: if, in a few consecutive
// backwards, each gradient stays as its node made it, gradients can be reported at the end of backward.
// Occasionally a backward is still observed, to find parameters that were frozen or unused before.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace strata::torch_source {

// [any] not [alloc-lock]. A node of the current backward accumulated `parameter`'s gradient.
void note_accumulated(const at::Tensor& parameter);

// [any] Graphs are run inside or alongside each other: each node must be observed for the rest of the run.
void never_skip_nodes();

// [any] Whether the nodes of the backward that begins need not be observed.
bool may_skip_nodes();

// [any] not [alloc-lock], without holding anything that Python may wait for. An observed backward has ended,
// completed or not.
void end_watched_backward(bool completed);

// [any] as above. An unobserved backward has ended. Returns the parameters that have a gradient now, among
// those that had one before.
std::vector<at::Tensor> end_skipped_backward(bool completed);

// [loop-thread] Forgets everything before another run.
void forget_gradients();

}  // namespace strata::torch_source
