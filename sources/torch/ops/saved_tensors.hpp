// SPDX-License-Identifier: Apache-2.0
// Reports every storage that autograd saves for backward, through an autograd engine of our own that only
// differs by the hooks it gives to each saved tensor.
//
// The hooks keep what autograd would keep without us: the tensor without its history, so that an output saved
// by the node that made it holds no reference to that node. A tensor changed in place after it was saved is
// an error, as without hooks (autograd itself checks only tensors that have none). Parameters are reported
// like any other storage.
//
// Not reported: a scalar that autograd wrapped into a tensor, which gets no hooks; a tensor without storage.
#pragma once

#include <string>

namespace strata::torch_source {

// [loop-thread] Makes our engine the process's default, permanently; later calls have no effect. Until
// `report_saved_tensors(true)`, and while no host listens, it behaves like torch's own. Returns why that is
// impossible, or an empty text: another engine (Python's) is installed.
std::string install_saved_tensor_engine();

// [loop-thread] Whether saved tensors are reported from now on. Initially they are not; once a run has
// enabled it, it stays enabled for the rest of that run.
void report_saved_tensors(bool told) noexcept;

}  // namespace strata::torch_source
