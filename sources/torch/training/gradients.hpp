// SPDX-License-Identifier: Apache-2.0
// Which gradients a backward leaves. Torch makes each node of the graph several times as dear to call where
// somebody looks at it, so that nodes are looked at only until it is known what they do: once a few backwards
// in a row left each gradient as its node had made it, it is as well told at backward's end. Now and then a
// backward is looked at all the same, for parameters that were frozen or not used before.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace strata::torch_source {

// [any] not [alloc-lock]. A node of the backward under way accumulated `parameter`'s gradient.
void note_accumulated(const at::Tensor& parameter);

// [any] Graphs are run within or beside each other: each node is to be looked at, for the rest of the run.
void never_skip_nodes();

// [any] Whether the nodes of the backward that begins need not be looked at.
bool may_skip_nodes();

// [any] not [alloc-lock], with nothing held that Python may wait for. A backward whose nodes were looked at
// has ended, with all its gradients or without.
void end_watched_backward(bool completed);

// [any] as above. A backward has ended whose nodes were not: the parameters that have a gradient now, of
// those that had one before.
std::vector<at::Tensor> end_skipped_backward(bool completed);

// [loop-thread] In another run all is learned anew.
void forget_gradients();

}  // namespace strata::torch_source
