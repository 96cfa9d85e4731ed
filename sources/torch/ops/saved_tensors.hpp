// SPDX-License-Identifier: Apache-2.0
// Tells of every storage that autograd keeps for backward, through an autograd engine of our own whose only
// difference is the hooks that it gives to each saved tensor.
//
// What is kept is what autograd would keep without us: the tensor without its history, so that an output
// saved by the node that made it holds no reference to that node. A tensor that was changed in place since
// it was saved is an error, as without hooks (autograd itself checks only tensors that have none).
// Parameters are told of like any other storage.
//
// Not told of: a scalar that autograd wrapped into a tensor, which gets no hooks; a tensor without storage.
#pragma once

#include <string>

namespace strata::torch_source {

// [loop-thread] Makes our engine the process's default one, for good; later calls do nothing. Until
// `report_saved_tensors(true)`, and while no host listens, it behaves as torch's own. Returns why it cannot
// be done, or empty: another engine (Python's) is in place.
std::string install_saved_tensor_engine();

// [loop-thread] Whether saved tensors are told of from now on; not at first, and for the rest of a run that
// asked.
void report_saved_tensors(bool told) noexcept;

}  // namespace strata::torch_source
